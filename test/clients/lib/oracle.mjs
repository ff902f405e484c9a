// Judges every line that a server wrote in a conversation by the official schema of the revision it is spoken in.
import { revisions } from './schemas.mjs';

const claim = 'io.modelcontextprotocol/protocolVersion';
const oldest = '2025-03-26'; // the suite has no schema of 2024-11-05, which is a subset of it
const newestLegacy = '2025-11-25';

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function schemaOf(version) {
  return revisions.get(version) ?? revisions.get(version < oldest ? oldest : newestLegacy);
}

/** `lines` as Sandbox.conversations() has them. Returns {judged, problems}. */
export function judge(lines) {
  const asked = new Map(); // id → {method, version}
  let spoken = newestLegacy; // by requests without a claim, and by notifications
  let judged = 0;
  const problems = [];
  for (const { from, text } of lines) {
    const message = parsed(text);
    if (from === 'client') {
      if (message?.method !== undefined && message.id !== undefined) {
        asked.set(JSON.stringify(message.id), { method: message.method, version: message.params?._meta?.[claim] });
      }
      continue;
    }
    judged += 1;
    const request = asked.get(JSON.stringify(message?.id));
    if (request?.method === 'initialize' && message.result) {
      spoken = message.result.protocolVersion;
    }
    const schema = schemaOf(request?.version ?? spoken);
    problems.push(...violations(message, request?.method, schema).map((problem) => `${schema.name}: ${problem} in ${text.slice(0, 500)}`));
  }
  return { judged, problems };
}

function violations(message, method, schema) {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) {
    return ['not a JSON object'];
  }
  if ('method' in message) {
    const definition = schema.ofMethod(message.method, 'id' in message ? 'Request' : 'Notification');
    return definition ? schema.violations(message, definition) : [`${message.method} is no method of this revision`];
  }
  if ('error' in message) {
    return schema.violations(message, schema.ofErrorCode(message.error?.code) ?? 'JSONRPCErrorResponse', 'JSONRPCError');
  }
  const result = method && schema.ofMethod(method, 'Request')?.replace(/Request$/, 'Result');
  return [
    ...schema.violations(message, 'JSONRPCResultResponse', 'JSONRPCResponse'),
    ...(result && result in schema.definitions ? schema.violations(message.result, result) : []),
  ];
}
