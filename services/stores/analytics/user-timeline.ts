/** The queries of a user's timeline, newest first. Pure. They read that user's rows alone, but for those of audiences. */
import type { Micros } from '../../messages/message.ts';
import type { Query } from './analytics-store.ts';
import { countsLive, epochParams } from './audience-history-sql.ts';
import { userNumber } from './columns.ts';
import type { LiveEpoch } from './live-history.ts';
import { type MessageTraitRow, OF_USER, type ProjectUser } from './user-messages.ts';

/** Which part of a timeline: what lies before this place, by time and then by id, and at this time or after it. */
export interface TimelineSpan {
  readonly before: { readonly at: Micros; readonly id: string };
  readonly since: Micros;
  readonly limit: number;
}

const TABLES = {
  identify: { rows: 'identify_rows', columns: 'anonymous_id' },
  session: { rows: 'session_rows', columns: 'session_id, anonymous' },
} as const;

/** Yields a row for each message of the span: `IdentifyRow` or `SessionRow`. */
export function messagesBeforeQuery(type: keyof typeof TABLES, user: ProjectUser, span: TimelineSpan): Query {
  const { rows, columns } = TABLES[type];
  return spanQuery(user, span, {
    list: `toString(version) AS version, message_id, toUnixTimestamp64Micro(timestamp) AS occurred,
           toUnixTimestamp64Micro(received_at) AS received, ${columns}`,
    from: `${rows} FINAL`,
    time: 'timestamp',
    id: 'message_id',
    and: '',
  });
}

/**
 * Yields a `UserChangeRow` for each change of the span in any audience. Reads the changes of all users of the project.
 *
 * @param epochs Those whose changes count, besides the changes of finalized evaluations.
 */
export function changesBeforeQuery(user: ProjectUser, span: TimelineSpan, epochs: readonly LiveEpoch[]): Query {
  const query = spanQuery(user, span, {
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

function spanQuery(
  { projectId, userKey }: ProjectUser,
  { before, since, limit }: TimelineSpan,
  { list, from, time, id, and }: SpanSource,
): Query {
  return {
    projectId,
    sql: `SELECT ${list} FROM ${from} WHERE ${OF_USER} ${and}
            AND toUnixTimestamp64Micro(${time}) >= {since:Int64}
            AND (toUnixTimestamp64Micro(${time}), ${id}) < ({before:Int64}, {id:String})
          ORDER BY toUnixTimestamp64Micro(${time}) DESC, ${id} DESC LIMIT {limit:UInt64}`,
    params: {
      projectId,
      user: userNumber(userKey),
      since: String(since),
      before: String(before.at),
      id: before.id,
      limit: String(limit),
    },
  };
}

/** What the messages of a version say of traits. */
export interface VersionTraitsRow {
  readonly version: string;
  /** The characters of their names and values together. */
  readonly chars: string;
  /** As in `MessageTraitRow`; empty where they have more characters than were wanted. */
  readonly traits: readonly (readonly [trait: string, kind: string, value: string])[];
}

/** Yields a `VersionTraitsRow` for each of these versions that has traits. */
export function versionTraitsQuery(
  { projectId, userKey }: ProjectUser,
  versions: readonly MessageTraitRow['version'][],
  maxChars: number,
): Query {
  return {
    projectId,
    sql: `SELECT toString(rows.version) AS version, sum(length(rows.trait) + length(rows.value)) AS chars,
                 if(chars <= {maxChars:UInt64}, arraySort(groupArray((rows.trait, toString(rows.kind), rows.value))), []) AS traits
          FROM (SELECT version, toString(trait) AS trait, kind, value FROM trait_value_rows FINAL
                WHERE ${OF_USER} AND version IN CAST({versions:Array(String)}, 'Array(UInt128)')) AS rows
          GROUP BY rows.version`,
    params: { projectId, user: userNumber(userKey), versions, maxChars: String(maxChars) },
  };
}
