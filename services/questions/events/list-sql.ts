/** Compiles questions for single events to ClickHouse queries. No text of a caller becomes SQL. Pure. */
import { type CompileOptions, queryOf } from '../sql/compile.ts';
import { Params, type Scope } from '../sql/params.ts';
import { END_OF_TIME } from '../../messages/timestamp.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { EVENT_COLUMNS, type EventRow } from '../../stores/analytics/user-events.ts';
import type { EventPosition } from './cursor.ts';
import { fromEvents } from './event-rows.ts';
import type { EventFilter } from './read-question.ts';
import type { Span } from './time-buckets.ts';

/** Which row an event is. Integers are text. */
export interface ListedKey extends Pick<EventRow, 'occurred' | 'received' | 'message_id' | 'event' | 'precedence'> {
  readonly user: string;
  /** Size of the properties, in bytes. */
  readonly size: string;
}

/** An event and its user. */
export interface ListedRow extends EventRow {
  readonly user: string;
  readonly user_id: string;
  readonly internal_id: string;
}

/** Yields a `ListedKey` for each of the newest events of a span, at most `limit`, newest first. */
export function compileKeys(
  question: EventFilter,
  context: CompileOptions,
  { from, to }: Span,
  { after, limit }: { readonly after: EventPosition | null; readonly limit: number },
): Query {
  const scope: Scope = { params: new Params(), ...context };
  // The end of time itself is past what ClickHouse's dates hold.
  const within = { from: { at: from }, to: to === END_OF_TIME ? null : { at: to } };
  const list = `toUnixTimestamp64Micro(timestamp) AS occurred, toUnixTimestamp64Micro(received_at) AS received, message_id, event, user, precedence, length(properties_text) AS size`;
  return queryOf(
    scope,
    `SELECT ${list} ${fromEvents(scope, { ...question, within })}${after === null ? '' : ` AND ${afterSql(scope, after)}`} ` +
      `ORDER BY timestamp DESC, received_at DESC, message_id DESC, event DESC, user DESC LIMIT ${scope.params.count(limit)}`,
  );
}

function afterSql({ params }: Scope, position: EventPosition): string {
  const times = [params.instant(position.timestamp), params.instant(position.receivedAt)];
  const names = [params.string(position.messageId), params.string(position.event), params.userNumber(position.user)];
  // The instant by itself, so that days and granules past it are left out.
  return (
    `timestamp <= ${times[0]} AND (timestamp, received_at, message_id, toString(event), user) < ` +
    `(${[...times, ...names].join(', ')})`
  );
}

/** Yields an `ListedRow` for each of these, which are in the order of `compileKeys`. */
export function compileEvents(context: CompileOptions, keys: readonly ListedKey[]): Query {
  const scope: Scope = { params: new Params(), ...context };
  const { params, projectId } = scope;
  const project = `project_id = ${params.string(projectId)}`;
  const users = `CAST(${params.strings([...new Set(keys.map(({ user }) => user))])}, 'Array(UInt128)')`;
  const precedences = `CAST(${params.strings(keys.map(({ precedence }) => precedence))}, 'Array(UInt64)')`;
  const times = keys.map(({ occurred }) => BigInt(occurred));
  const [newest, oldest] = [times.at(0) ?? 0n, times.at(-1) ?? 0n].map((time) => params.instant(time));
  const known =
    `SELECT user, max(user_rows.internal_id) AS internal_id, max(user_rows.user_id) AS user_id FROM user_rows ` +
    `WHERE ${project} AND user IN ${users} GROUP BY user`;
  return queryOf(
    scope,
    `SELECT events.*, known.internal_id AS internal_id, known.user_id AS user_id FROM ` +
      `(SELECT ${EVENT_COLUMNS}, user FROM track_rows WHERE ${project} ` +
      `AND event IN ${params.strings([...new Set(keys.map(({ event }) => event))])} ` +
      `AND day >= toDate32(${oldest}) AND day <= toDate32(${newest}) AND user IN ${users} ` +
      `AND precedence IN ${precedences}) AS events ` +
      `ANY LEFT JOIN (${known}) AS known ON known.user = events.user`,
  );
}
