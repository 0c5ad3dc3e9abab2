/** The queries of what happened to one user: messages that set traits, and changes of audiences. Pure. They read that user's rows alone, but for those of audiences. */
import type { Micros } from '../../messages/message.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { countsLive, epochParams } from '../../stores/analytics/audience-history-sql.ts';
import type { LiveEpoch } from '../../stores/analytics/live-history.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import { alone, ofUser, type ProjectUser, userParams } from '../../stores/analytics/of-user.ts';

interface MessageRow {
  /** In decimal. */
  readonly version: string;
  readonly message_id: string;
  /** Times in microseconds. */
  readonly occurred: string;
  readonly received: string;
}

export interface IdentifyRow extends MessageRow {
  readonly anonymous_id: string;
}

export interface SessionRow extends MessageRow {
  readonly session_id: string;
  readonly anonymous: boolean;
}

/** The messages that set traits. */
export type SettingType = 'identify' | 'session';

const OWN_COLUMNS = { identify: 'anonymous_id', session: 'session_id, anonymous' } as const;

function messageColumns(type: SettingType): string {
  return `toString(rows.version) AS version, message_id, toUnixTimestamp64Micro(timestamp) AS occurred,
          toUnixTimestamp64Micro(received_at) AS received, ${OWN_COLUMNS[type]}`;
}

/**
 * Yields an `IdentifyRow` or a `SessionRow` for each message, in the order of versions.
 *
 * @param above Only versions above this one. With all that have the last version, so that none is missed.
 */
export function messagesAboveQuery(type: SettingType, user: ProjectUser, above: bigint, limit: number): Query {
  return {
    projectId: user.projectId,
    sql: `SELECT ${messageColumns(type)}
          FROM (SELECT * FROM ${type}_rows FINAL WHERE ${ofUser(user)} AND version > {above:UInt128}) AS rows
          ORDER BY rows.version LIMIT {limit:UInt64} WITH TIES`,
    params: { ...userParams(user), above: above.toString(), limit: String(limit) },
  };
}

/** A part of what happened: oldest first what lies after an entry, or newest first what lies before one, by time and then by id. */
export type HistorySpan = { readonly limit: number } & (
  | { readonly after: Edge }
  | {
      readonly before: Edge;
      /** At this time or after it. */
      readonly since: Micros;
    }
);

interface Edge {
  readonly at: Micros;
  readonly id: string;
}

/** Yields an `IdentifyRow` or a `SessionRow` for each message of the span. */
export function messagesOfSpanQuery(type: SettingType, user: ProjectUser, span: HistorySpan): Query {
  return spanQuery(user, span, {
    list: messageColumns(type),
    from: `${type}_rows AS rows FINAL`,
    time: 'timestamp',
    id: 'message_id',
    and: '',
  });
}

/** A change of an audience by the user; the time in microseconds. */
export interface UserChangeRow {
  readonly audience_id: string;
  readonly change: 'entered' | 'left';
  readonly at: string;
  /** Version of the definition. */
  readonly version: number;
  readonly cause: string;
}

/**
 * Yields a `UserChangeRow` for each change of the span in any audience by the user alone; for `AnalyticsReader.askHistory`. Reads the changes
 * of all users of the project.
 *
 * @param epochs Those whose changes count, besides the changes of finalized evaluations.
 */
export function changesOfSpanQuery(user: ProjectUser, span: HistorySpan, epochs: readonly LiveEpoch[]): Query {
  const query = spanQuery(alone(user), span, {
    list: `audience_id, toString(change) AS change, version, cause, toUnixTimestamp64Micro(evaluated_at) AS at`,
    from: 'audience_changes FINAL',
    time: 'evaluated_at',
    id: 'audience_id',
    and: `AND (epoch = 0 AND (audience_id, evaluated_at) IN
          (SELECT audience_id, evaluated_at FROM audience_evaluations WHERE project_id = {projectId:String})
          OR ${countsLive(epochs)})`,
  });
  return { ...query, params: { ...query.params, ...epochParams(epochs) } };
}

interface SpanSource {
  readonly list: string;
  readonly from: string;
  readonly time: string;
  readonly id: string;
  readonly and: string;
}

function spanQuery(user: ProjectUser, span: HistorySpan, { list, from, time, id, and }: SpanSource): Query {
  const [edge, compared, order] = 'after' in span ? [span.after, '>', ''] : [span.before, '<', ' DESC'];
  const micros = `toUnixTimestamp64Micro(${time})`;
  return {
    projectId: user.projectId,
    sql: `SELECT ${list} FROM ${from} WHERE ${ofUser(user)} ${and}
            AND (${micros}, ${id}) ${compared} ({at:Int64}, {id:String})
            ${'since' in span ? `AND ${micros} >= {since:Int64}` : ''}
          ORDER BY ${micros}${order}, ${id}${order} LIMIT {limit:UInt64}`,
    params: {
      ...userParams(user),
      at: String(edge.at),
      id: edge.id,
      ...('since' in span && { since: String(span.since) }),
      limit: String(span.limit),
    },
  };
}

/** A row of `lastChangesQuery`. */
export type LastChangeRow = Pick<UserChangeRow, 'audience_id' | 'change' | 'at'>;

/** The newest change of the user in each of these audiences; those that the user was never in are left out. */
export function lastChangesQuery(user: ProjectUser, audienceIds: readonly string[]): Query {
  return {
    projectId: user.projectId,
    sql: `SELECT audience_id, toString(change) AS change, toUnixTimestamp64Micro(evaluated_at) AS at
          FROM audience_members FINAL WHERE ${ofUser(alone(user))} AND audience_id IN {audienceIds:Array(String)}`,
    params: { ...userParams(alone(user)), audienceIds },
  };
}

/** A row of `entriesQuery`; the time in microseconds. */
export interface EntryRow {
  /** Number of the user. */
  readonly user: string;
  readonly at: string;
}

/** When each of these users entered an audience; those whose newest change is another are left out. For `AnalyticsReader.askHistory`. */
export function entriesQuery(projectId: string, audienceId: string, users: readonly string[]): Query {
  return {
    projectId,
    sql: `SELECT user, toUnixTimestamp64Micro(evaluated_at) AS at FROM audience_members FINAL
          WHERE project_id = {projectId:String} AND audience_id = {audienceId:String} AND change = 'entered'
            AND user IN CAST({users:Array(String)}, 'Array(UInt128)')`,
    params: { projectId, audienceId, users: users.map(userNumber) },
  };
}

/** What the messages of a version say of traits. */
export interface VersionTraitsRow {
  readonly version: string;
  /** The characters of their names and values together. */
  readonly chars: string;
  /** Values are JSON text, '' where deleted. Empty where they have more characters than were wanted. */
  readonly traits: readonly (readonly [trait: string, kind: string, value: string])[];
}

/** Yields a `VersionTraitsRow` for each of these versions that has traits. */
export function versionTraitsQuery(
  user: ProjectUser,
  versions: readonly VersionTraitsRow['version'][],
  maxChars: number,
): Query {
  return {
    projectId: user.projectId,
    sql: `SELECT toString(rows.version) AS version, sum(length(rows.trait) + length(rows.value)) AS chars,
                 if(chars <= {maxChars:UInt64}, arraySort(groupArray((rows.trait, toString(rows.kind), rows.value))), []) AS traits
          FROM (SELECT version, toString(trait) AS trait, kind, value FROM trait_value_rows FINAL
                WHERE ${ofUser(user)} AND version IN CAST({versions:Array(String)}, 'Array(UInt128)')) AS rows
          GROUP BY rows.version`,
    params: { ...userParams(user), versions, maxChars: String(maxChars) },
  };
}
