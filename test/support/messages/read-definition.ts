import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { parseBody } from '../../../services/messages/json.ts';

/** Reads JSON text as a body is read. */
export function read(text: string, timezone = 'UTC') {
  const body = parseBody(text);
  if (!body.ok) throw new Error('not JSON');
  return readDefinition(body.value.exact, { timezone });
}

export function readValue(value: unknown, timezone?: string) {
  return read(JSON.stringify(value), timezone);
}

export function audienceOf(value: unknown, timezone?: string) {
  const result = readValue(value, timezone);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

export function pathsOf(value: unknown): readonly string[] {
  const result = readValue(value);
  return result.ok ? [] : result.problems.map(({ path }) => path);
}
