/** Compiles what a question needs of each event. No text of a caller becomes SQL. Pure. */
import { usersOf } from '../sql/compile.ts';
import type { Params, Scope } from '../sql/params.ts';
import { TextValue } from '../sql/text-value.ts';
import { taggedPropertySql, taggedSql, textSql } from '../sql/typed-value.ts';
import { isAmong, personTraits } from '../sql/persons.ts';
import { select } from '../sql/select.ts';
import { eventConditions, firstIsWithin, periodSql } from '../sql/user-sets.ts';
import { CAME_LIVE } from '../../stores/analytics/columns.ts';
import type { Split, EventFilter } from './read-question.ts';
import type { TimeBuckets } from './time-buckets.ts';

/**
 * The events of a filter: what follows SELECT and its list.
 *
 * @param copies `first`: each message once a day. `any`: all copies of messages whose first copy is in the period, which
 *   takes a fraction of the time where rows have not been merged yet.
 */
export function fromEvents(scope: Scope, filter: EventFilter, copies: 'first' | 'any' = 'first'): string {
  const { events, within, users, arrived } = filter;
  const among = users && usersOf(scope, users);
  const first = copies === 'any' && within ? firstIsWithin(scope, { events }, within) : null;
  // `user` is in the key, so that users are filtered before FINAL compares rows.
  const prewhere = among === null ? '' : ` PREWHERE ${isAmong(scope, among)}`;
  return select(`FROM track_rows${copies === 'first' ? ' FINAL' : ''}${prewhere}`, [
    ...eventConditions(scope, filter),
    first,
    ...(arrived ? periodSql(scope, 'received_at', { from: { at: arrived.from }, to: { at: arrived.to } }) : []),
    arrived ? CAME_LIVE : null,
  ]);
}

/**
 * 64 bits that stand for the message: one sent again on another day has the same. Numbers of messages and users are
 * hashes, so their combination is as good as one.
 */
export function messageSql(events: readonly string[] | null): string {
  const byUser = 'bitXor(message_number, toUInt64(user))';
  return events?.length === 1 ? byUser : `bitXor(${byUser}, sipHash64(event))`;
}

/** The number of the bucket in which an event lies, from 0. */
export function bucketSql(params: Params, { segments, unitMicros }: TimeBuckets): string {
  const at = 'toUnixTimestamp64Micro(timestamp)';
  const numbers = segments.map(
    ({ origin, first }) =>
      `intDiv(${at} - ${params.micros(origin)}, ${params.micros(unitMicros)}) + ${params.micros(BigInt(first))}`,
  );
  const cases = segments.slice(0, -1).map(({ end }, index) => `${at} < ${params.micros(end)}, ${numbers[index]}, `);
  const last = numbers.at(-1) ?? '0';
  return `toUInt16(${cases.length === 0 ? last : `multiIf(${cases.join('')}${last})`})`;
}

/** A value that events are split by as text: a letter for its type, then its JSON, of a string the string; '' for none. */
export function splitSql(params: Params, split: Split): string {
  if (split.kind === 'event') return `concat('s', toString(event))`;
  const { kind, path } = split;
  if (kind === 'property') return taggedPropertySql(params, path);
  const [, ...nested] = path;
  if (nested.length > 0) return taggedSql(textSql(new TextValue(params, 'readable(value)', nested)));
  const number = `concat('n', ifNull(toString(integer), toString(number + 0)))`;
  return `multiIf(kind = 'string', concat('s', text), kind = 'boolean', concat('b', text), kind = 'number', ${number}, '')`;
}

/** A value as `splitSql` gives it, as JSON. */
export function valueJson(tagged: string): string {
  const rest = tagged.slice(1);
  if (tagged === '') return 'null';
  return tagged.startsWith('s') ? JSON.stringify(rest) : rest;
}

/** The tagged value of a trait of each user who has it: `user`, `split`. */
export function traitsSql(scope: Scope, split: Extract<Split, { kind: 'property' | 'trait' }>): string {
  const { params, projectId } = scope;
  const [trait = ''] = split.path;
  const value = splitSql(params, split);
  const ofTrait = `project_id = ${params.string(projectId)} AND trait = ${params.string(trait)}`;
  const own = `SELECT user, ${value} AS split FROM trait_rows FINAL WHERE ${ofTrait} AND kind != 'deleted'`;
  return personTraits(scope, own, ofTrait, value);
}
