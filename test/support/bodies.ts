import { type JsonBody, parseBody } from '../../services/messages/json.ts';
import type { Problem } from '../../services/messages/message.ts';

/** A body as it comes from the door: JSON text, or a value to be written as such. */
export function bodyOf(content: unknown): JsonBody {
  const body = parseBody(typeof content === 'string' ? content : JSON.stringify(content));
  if (!body.ok) throw new Error(`no body: ${JSON.stringify(body.problems)}`);
  return body.value;
}

/** The paths of what is wrong, in order; empty where nothing is. */
export function pathsOf(result: { ok: true } | { ok: false; problems: readonly Problem[] }): string[] {
  return result.ok ? [] : result.problems.map(({ path }) => path).sort();
}
