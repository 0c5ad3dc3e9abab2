/** What a caller sends in the interface's own form without any effect: probably a member that is spelled wrongly. */
import { CALL_MEMBERS } from '../messages/body-schemas.ts';
import { isObject, isSdkBatch, isSdkCall } from '../messages/sdk/sdk-call.ts';
import { pointerTo } from '../messages/unacceptable.ts';

/** As many are listed at most. */
const MAX_IGNORED = 100;

const MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  identify: new Set(CALL_MEMBERS.identify),
  track: new Set(CALL_MEMBERS.track),
};
const OF_A_BATCH: ReadonlySet<string> = new Set(['batch']);

/**
 * Pointers to the members of a valid body that nothing reads; empty for a body in the form of an SDK, whose members are
 * not the caller's choice.
 *
 * @param source The call that the body came by.
 */
export function ignoredIn(body: unknown, source: string): readonly string[] {
  if (source !== 'batch') return isObject(body) && !isSdkCall(body) ? ignoredOfCall(body, source, []) : [];
  if (!isObject(body) || isSdkBatch(body)) return [];
  const ignored = ignoredMembers(body, OF_A_BATCH, []);
  for (const [index, item] of (body['batch'] as readonly unknown[]).entries()) {
    if (ignored.length >= MAX_IGNORED) break;
    if (isObject(item)) ignored.push(...ignoredOfCall(item, String(item['type']), ['batch', index]));
  }
  return ignored.slice(0, MAX_IGNORED);
}

function ignoredOfCall(
  call: Readonly<Record<string, unknown>>,
  type: string,
  at: readonly (string | number)[],
): readonly string[] {
  const known = MEMBERS[type];
  return known === undefined ? [] : ignoredMembers(call, known, at);
}

function ignoredMembers(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  at: readonly (string | number)[],
): string[] {
  const ignored: string[] = [];
  for (const name in value) if (!known.has(name)) ignored.push(pointerTo([...at, name]));
  return ignored;
}
