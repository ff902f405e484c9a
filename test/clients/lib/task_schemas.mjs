// The wire forms of the tasks extension of 2026-07-28, which the protocol's own schema does not have.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const members = {
  taskId: { type: 'string', minLength: 1 },
  status: { enum: ['working', 'input_required', 'completed', 'failed', 'cancelled'] },
  statusMessage: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
  lastUpdatedAt: { type: 'string', format: 'date-time' },
  ttlMs: { type: ['integer', 'null'] },
  pollIntervalMs: { type: 'integer', minimum: 0 },
  _meta: { type: 'object' },
};
const required = ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'];
const outcome = { result: { type: 'object' }, error: { type: 'object', required: ['code', 'message'] }, inputRequests: { type: 'object' } };

/** What a task that has come to something must show, and no other may. */
const byStatus = [['completed', 'result'], ['failed', 'error'], ['input_required', 'inputRequests']].map(([status, member]) => ({
  if: { properties: { status: { const: status } } }, then: { required: [member] }, else: { not: { required: [member] } },
}));

function object(properties, more) {
  return { type: 'object', properties, required: more, additionalProperties: false };
}

const ajv = addFormats(new Ajv2020({ allErrors: true }));
const schemas = {
  created: object({ ...members, resultType: { const: 'task' } }, [...required, 'resultType']),
  got: { ...object({ ...members, ...outcome, resultType: { const: 'complete' } }, [...required, 'resultType']), allOf: byStatus },
  told: { ...object({ ...members, ...outcome }, required), allOf: byStatus },
  acknowledged: object({ resultType: { const: 'complete' }, _meta: { type: 'object' } }, ['resultType']),
};
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]));

/** What is wrong with `value` as 'created', 'got', 'told' (a notification's params) or 'acknowledged'. */
export function taskViolations(name, value) {
  const validate = validators[name];
  return validate(value) ? [] : validate.errors.map((error) => `task ${name}${error.instancePath}: ${error.message}`);
}
