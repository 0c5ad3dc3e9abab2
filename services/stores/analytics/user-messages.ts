/** The queries of the messages of one user that set traits, in the order of versions. Pure. They read that user's rows alone. */
import type { Query } from './analytics-store.ts';
import { userNumber } from './columns.ts';

/** A user by the internal id. */
export interface ProjectUser {
  readonly projectId: string;
  readonly userKey: string;
}

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

/** A row of `messageTraitsQuery`. */
export interface MessageTraitRow {
  readonly version: string;
  readonly trait: string;
  readonly kind: string;
  /** JSON text; '' where deleted. */
  readonly value: string;
}

export type SettingTable = 'identify_rows' | 'session_rows';

const COLUMNS: Readonly<Record<SettingTable, string>> = {
  identify_rows: 'anonymous_id',
  session_rows: 'session_id, anonymous',
};

export const OF_USER = 'project_id = {projectId:String} AND user = {user:UInt128}';

/** @param above Only versions above this one. With all that have the last version, so that none is missed. */
export function settingRowsQuery(
  table: SettingTable,
  { projectId, userKey }: ProjectUser,
  above: bigint,
  limit: number,
): Query {
  return {
    projectId,
    sql: `SELECT toString(rows.version) AS version, message_id, toUnixTimestamp64Micro(timestamp) AS occurred,
                 toUnixTimestamp64Micro(received_at) AS received, ${COLUMNS[table]}
          FROM (SELECT * FROM ${table} FINAL WHERE ${OF_USER} AND version > {above:UInt128}) AS rows
          ORDER BY rows.version LIMIT {limit:UInt64} WITH TIES`,
    params: { projectId, user: userNumber(userKey), above: above.toString(), limit: String(limit) },
  };
}

/** What the messages of these versions, `first` and `last` included, say of traits. */
export function messageTraitsQuery({ projectId, userKey }: ProjectUser, first: bigint, last: bigint): Query {
  return {
    projectId,
    sql: `SELECT toString(rows.version) AS version, trait, toString(rows.kind) AS kind, value
          FROM (SELECT version, trait, kind, value FROM trait_value_rows FINAL
                WHERE ${OF_USER} AND version >= {first:UInt128} AND version <= {last:UInt128}) AS rows
          ORDER BY rows.version, trait`,
    params: { projectId, user: userNumber(userKey), first: first.toString(), last: last.toString() },
  };
}
