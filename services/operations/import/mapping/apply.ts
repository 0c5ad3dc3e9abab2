/** Records → calls, as a mapping says. Pure. */
import type { JsonBody } from '../../../messages/json.ts';
import type { Problem } from '../../../messages/message.ts';
import { isObject } from '../../../messages/sdk/sdk-call.ts';
import { pointerTo } from '../../../messages/unacceptable.ts';
import { type Mapping, MEMBERS, OBJECTS, type Target, targetOf, targetOfRest } from './mapping.ts';
import { type RecordMembers, put, take } from './members.ts';

export interface MappedBody {
  readonly call: JsonBody;
  /** Places that two parts of the record fill. */
  readonly problems: readonly Problem[];
}

/** @param body Parsed for this: its parts become parts of the call. @param type What a call is that does not say it. */
export function mapBody(body: JsonBody, mapping: Mapping, type: string | undefined): MappedBody {
  if (!isObject(body.plain)) return { call: body, problems: [] };
  const plain = mapRecord(body.plain, mapping, type);
  if (body.exact === body.plain) return { call: { plain: plain.call, exact: plain.call }, problems: plain.problems };
  return {
    call: { plain: plain.call, exact: mapRecord(body.exact as RecordMembers, mapping, type).call },
    problems: plain.problems,
  };
}

function mapRecord(record: RecordMembers, { rules, constants, rest }: Mapping, type: string | undefined) {
  const call = new MappedCall();
  for (const [target, text] of Object.entries(constants)) call.put(targetOf(target), text);
  const moved = rules.filter(({ to }) => to !== null);
  const values = moved.map(({ to, from }) => ({ to: to ?? '', value: firstValue(record, from) }));
  // At last: a part of what is left out may have been moved.
  for (const { to, from } of rules) if (to === null) for (const path of from) take(record, path);
  const of = (name: string): unknown => values.find(({ to }) => to === name)?.value ?? record[name];
  call.type = [constants['type'], of('type'), type].find((each) => typeof each === 'string');
  for (const { to, value } of values) if (isValue(value)) call.put(targetOf(to), value);
  for (const [name, value] of Object.entries(record)) {
    const target = targetOfRest(name, rest);
    if (target !== undefined) call.put(target, value);
  }
  return call;
}

/** All sources that have no value are values out too, up to the one that has. */
function firstValue(record: RecordMembers, from: readonly string[]): unknown {
  for (const path of from) {
    const value = take(record, path);
    if (isValue(value)) return value;
  }
  return undefined;
}

function isValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** A call as it is put together. */
class MappedCall {
  readonly call: RecordMembers = {};
  readonly problems: Problem[] = [];
  type: string | undefined;

  put({ path, isFree }: Target, value: unknown): void {
    const [first = ''] = path;
    const isMember = !isFree && path.length === 1;
    // Where a record has nothing to say of a member, it has none.
    if (isMember && (MEMBERS.includes(first) || OBJECTS.includes(first)) && !isValue(value)) return;
    const whole = isFree ? [this.type === 'identify' ? 'traits' : 'properties', ...path] : path;
    const member = isMember && MEMBERS.includes(first) ? idText(value) : value;
    const conflict = put(this.call, whole, member);
    if (conflict !== undefined) this.problems.push({ path: pointerTo(conflict), message: 'is filled twice' });
  }
}

/** Ids are texts, and many products write them as numbers. */
function idText(value: unknown): unknown {
  return typeof value === 'number' || JSON.isRawJSON(value) ? JSON.stringify(value) : value;
}
