// The official JSON schemas of the protocol, as the conformance suite carries them in its one bundled file.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import vm from 'node:vm';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const suite = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'));

/** {revision: schema}. The bundle has one table of them, behind the object literals it names. */
function bundledSchemas() {
  const source = readFileSync(join(suite, 'dist/index.js'), 'utf8');
  const table = source.match(/const \w+=\{"2025-03-26":(\w+),"2025-06-18":(\w+),"2025-11-25":(\w+),\[\w+\]:(\w+)\}/);
  const start = table ? source.indexOf(`${table[1]}={$schema:`) : -1;
  if (start < 0) {
    throw new Error('this version of the conformance suite carries its schemas in another way');
  }
  const names = table.slice(1);
  const [s1, s2, s3, s4] = vm.runInNewContext(`var ${source.slice(start, table.index)};[${names.join(',')}]`);
  return { '2025-03-26': s1, '2025-06-18': s2, '2025-11-25': s3, '2026-07-28': s4 };
}

/** One revision's schema, ready to judge by. */
class Revision {
  #ajv;
  #key;
  #compiled = new Map();

  constructor(name, schema) {
    this.name = name;
    this.#key = '$defs' in schema ? '$defs' : 'definitions';
    this.definitions = schema[this.#key];
    this.#ajv = new (this.#key === '$defs' ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
    addFormats(this.#ajv);
    this.#ajv.addFormat('byte', true);
    this.#ajv.addSchema({ ...schema, $id: 'mcp' });
  }

  /** What is wrong with `value` as the first of these definitions that this revision has. */
  violations(value, ...definitions) {
    const name = definitions.find((definition) => definition in this.definitions);
    if (name === undefined) {
      return [`revision ${this.name} has no ${definitions.join(' or ')}`];
    }
    if (!this.#compiled.has(name)) {
      this.#compiled.set(name, this.#ajv.compile({ $ref: `mcp#/${this.#key}/${name}` }));
    }
    const validate = this.#compiled.get(name);
    return validate(value) ? [] : validate.errors.map((error) => `${name}${error.instancePath}: ${error.message}`);
  }

  /** The definition of the message with this method: ToolListChangedNotification for notifications/tools/list_changed. */
  ofMethod(method, suffix) {
    return Object.keys(this.definitions).find(
      (name) => name.endsWith(suffix) && this.definitions[name].properties?.method?.const === method);
  }

  /** The definition of the error answer with this code, where the revision has one of its own. */
  ofErrorCode(code) {
    return Object.keys(this.definitions).find(
      (name) => this.definitions[name].properties?.error?.allOf?.some((part) => part.properties?.code?.const === code));
  }
}

export const revisions = new Map(Object.entries(bundledSchemas()).map(([name, schema]) => [name, new Revision(name, schema)]));
