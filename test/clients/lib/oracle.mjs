// Judges every line that a server wrote in a conversation by the official schema of the revision it is spoken in.
import { revisions } from './schemas.mjs';
import { taskViolations } from './task_schemas.mjs';

const claim = 'io.modelcontextprotocol/protocolVersion';
const subscription = 'io.modelcontextprotocol/subscriptionId'; // only modern notifications carry it
const modern = '2026-07-28';
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
        asked.set(JSON.stringify(message.id), {
          method: message.method, version: message.params?._meta?.[claim], task: message.params?.task !== undefined,
        });
      }
      continue;
    }
    judged += 1;
    const request = asked.get(JSON.stringify(message?.id));
    if (request?.method === 'initialize' && message.result) {
      spoken = message.result.protocolVersion;
    }
    const schema = schemaOf(request?.version ?? (message?.params?._meta?.[subscription] === undefined ? spoken : modern));
    problems.push(...violations(message, request, schema).map((problem) => `${schema.name}: ${problem} in ${text.slice(0, 500)}`));
  }
  return { judged, problems };
}

/** The tasks extension, where the message is of it. */
function extensionViolations(message, method, schema) {
  if (schema.name !== modern) {
    return undefined;
  }
  if (message.method === 'notifications/tasks') {
    return taskViolations('told', message.params);
  }
  if (method === 'tools/call' && message.result?.resultType === 'task') {
    return taskViolations('created', message.result);
  }
  const form = { 'tasks/get': 'got', 'tasks/cancel': 'acknowledged', 'tasks/update': 'acknowledged' }[method];
  return form && message.result && taskViolations(form, message.result);
}

/** The name of the definition that a result must conform to. */
function resultOf({ method, task }, schema) {
  const created = 'CreateTaskResult';
  return task && method === 'tools/call' && created in schema.definitions ? created : schema.ofMethod(method, 'Request')?.replace(/Request$/, 'Result');
}

function violations(message, request, schema) {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) {
    return ['not a JSON object'];
  }
  const ofExtension = extensionViolations(message, request?.method, schema);
  if (ofExtension) {
    return ofExtension;
  }
  if ('method' in message) {
    const definition = schema.ofMethod(message.method, 'id' in message ? 'Request' : 'Notification');
    return definition ? schema.violations(message, definition) : [`${message.method} is no method of this revision`];
  }
  if ('error' in message) {
    return schema.violations(message, schema.ofErrorCode(message.error?.code) ?? 'JSONRPCErrorResponse', 'JSONRPCError');
  }
  const result = request && resultOf(request, schema);
  return [
    ...schema.violations(message, 'JSONRPCResultResponse', 'JSONRPCResponse'),
    ...(result && result in schema.definitions ? schema.violations(message.result, result) : []),
  ];
}
