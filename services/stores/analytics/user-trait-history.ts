/** The queries of one user's traits over time. Pure. They read that user's rows alone. */
import type { Query } from './analytics-store.ts';
import { userNumber } from './columns.ts';
import type { ProjectUser } from './user-messages.ts';

export interface OneTrait extends ProjectUser {
  readonly trait: string;
}

/** A row of `versionsQuery`; versions are decimals. */
export interface VersionRow {
  readonly version: string;
  /** Size of the value's JSON text. */
  readonly bytes: string;
  /** The newer version that arrived first; '0' where there is no newer one. */
  readonly newer: string;
}

/** A row of `valuesQuery`. */
export interface ValueRow {
  readonly version: string;
  readonly kind: string;
  /** JSON text; '' where deleted. */
  readonly value: string;
}

/** A row of `settingMessagesQuery`; times in microseconds. */
export interface SettingMessageRow {
  readonly version: string;
  readonly type: 'identify' | 'session';
  readonly message_id: string;
  readonly occurred: string;
  readonly received: string;
}

const OF_USER = 'project_id = {projectId:String} AND user = {user:UInt128}';
const IN_VERSIONS = "version IN CAST({versions:Array(String)}, 'Array(UInt128)')";
/** See services/messages/version.ts. */
const ARRIVAL = 'bitAnd(bitShiftRight(version, 20), 18014398509481983)';

/**
 * The versions of a trait, newest first, each with the newer one that arrived first.
 *
 * @param below Only versions below this one.
 */
export function versionsQuery({ projectId, userKey, trait }: OneTrait, below: bigint, limit: number): Query {
  return {
    projectId,
    sql: `SELECT toString(version) AS version, toString(bytes) AS bytes, toString(newer) AS newer
          FROM
          (
              SELECT version, bytes,
                     argMin(version, ${ARRIVAL}) OVER (ORDER BY version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newer
              FROM (SELECT version, length(value) AS bytes FROM trait_value_rows FINAL WHERE ${OF_USER} AND trait = {trait:String})
          ) AS versions
          WHERE versions.version < {below:UInt128}
          ORDER BY versions.version DESC LIMIT {limit:UInt64}`,
    params: { ...paramsOf({ projectId, userKey }), trait, below: below.toString(), limit: String(limit) },
  };
}

export function valuesQuery({ projectId, userKey, trait }: OneTrait, versions: readonly string[]): Query {
  return {
    projectId,
    sql: `SELECT toString(values.version) AS version, toString(values.kind) AS kind, values.value AS value
          FROM (SELECT version, kind, value FROM trait_value_rows FINAL
                WHERE ${OF_USER} AND ${IN_VERSIONS} AND trait = {trait:String}) AS values`,
    params: { ...paramsOf({ projectId, userKey }), trait, versions },
  };
}

/** The messages of these versions: of the identifies and the sessions. */
export function settingMessagesQuery({ projectId, userKey }: ProjectUser, versions: readonly string[]): Query {
  const of = (type: string, table: string): string =>
    `SELECT version, '${type}' AS type, message_id, timestamp, received_at, precedence
     FROM ${table} FINAL WHERE ${OF_USER} AND ${IN_VERSIONS}`;
  return {
    projectId,
    sql: `SELECT toString(messages.version) AS version, type, message_id, toUnixTimestamp64Micro(timestamp) AS occurred,
                 toUnixTimestamp64Micro(received_at) AS received
          FROM (${of('identify', 'identify_rows')} UNION ALL ${of('session', 'session_rows')}) AS messages
          ORDER BY messages.version, precedence DESC LIMIT 1 BY messages.version`,
    params: { ...paramsOf({ projectId, userKey }), versions },
  };
}

function paramsOf({ projectId, userKey }: ProjectUser): Readonly<Record<string, string>> {
  return { projectId, user: userNumber(userKey) };
}
