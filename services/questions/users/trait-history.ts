/** The values that one user's trait was given, newest first. */
import type { JsonText, Micros } from '../../messages/message.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import { pageWithin, type QueryBudget } from '../query-budget.ts';
import { alone, ofUser, type ProjectUser, userParams } from '../../stores/analytics/of-user.ts';

export interface OneTrait extends ProjectUser {
  readonly trait: string;
}

/** A value that a trait was given. */
export interface GivenValue {
  /** JSON text; `null` where the message deletes the trait. */
  readonly value: JsonText;
  /** Version of the message that gave it, and how far its row is known. */
  readonly version: bigint;
  readonly message: SettingMessage | null;
  /** The newer value that arrived first; null: no newer one is known, and this is what the trait has. */
  readonly newer: { readonly version: bigint; readonly message: SettingMessage | null } | null;
}

interface SettingMessage {
  readonly messageId: string;
  readonly type: 'identify' | 'session';
  readonly timestamp: Micros;
  readonly receivedAt: Micros;
}

export interface HistoryPage {
  readonly values: readonly GivenValue[];
  readonly next: bigint | null;
}

/**
 * Those below a version, newest first: a page of large values holds fewer than its limit. Those of joined ids only where no
 * message of the user mentions the trait.
 *
 * @throws TidemarkError as `AnalyticsReader.ask`.
 */
export async function readTraitHistory(
  budget: QueryBudget,
  person: OneTrait,
  below: bigint,
  limit: number,
): Promise<HistoryPage> {
  const trait = await decisive(budget, person);
  // One more than the page holds tells whether there is another.
  const rows = await budget.ask<VersionRow>(versionsQuery(trait, below, limit + 1));
  const { page: fitting, hasMore } = pageWithin(rows, limit, ({ bytes }) => bytes);
  const versions = fitting.map(({ version }) => version);
  if (versions.length === 0) return { values: [], next: null };
  const named = [...new Set([...versions, ...fitting.map(({ newer }) => newer)])];
  const [values, messages] = await Promise.all([
    budget.ask<ValueRow>(valuesQuery(trait, versions)),
    budget.ask<SettingMessageRow>(settingMessagesQuery(trait, named)),
  ]);
  const valueOf = new Map(values.map((row) => [row.version, row.kind === 'deleted' ? 'null' : row.value]));
  const messageOf = new Map(messages.map((row) => [row.version, settingMessage(row)]));
  const given = fitting.map(({ version, newer }) => ({
    value: valueOf.get(version) ?? 'null',
    version: BigInt(version),
    message: messageOf.get(version) ?? null,
    newer: newer === '0' ? null : { version: BigInt(newer), message: messageOf.get(newer) ?? null },
  }));
  return { values: given, next: hasMore ? BigInt(fitting.at(-1)?.version ?? 0) : null };
}

/** The user alone where a message of theirs mentions the trait: joined ids count for nothing then. */
async function decisive(budget: QueryBudget, person: OneTrait): Promise<OneTrait> {
  if (person.joined === undefined || person.joined.length === 0) return person;
  const own = { ...alone(person), trait: person.trait };
  const [first] = await budget.ask<VersionRow>(versionsQuery(own, 2n ** 128n - 1n, 1));
  return first === undefined ? person : own;
}

function settingMessage({ message_id: messageId, type, occurred, received }: SettingMessageRow): SettingMessage {
  return { messageId, type, timestamp: BigInt(occurred), receivedAt: BigInt(received) };
}

/** `lost`: a newer one had arrived before it, so that the trait never had this value. */
export function stateOf({ version, newer }: GivenValue): 'current' | 'replaced' | 'lost' {
  if (newer === null) return 'current';
  return timesOfVersion(newer.version).receivedAt < timesOfVersion(version).receivedAt ? 'lost' : 'replaced';
}

/** A row of `versionsQuery`; versions are decimals. */
interface VersionRow {
  readonly version: string;
  /** Size of the value's JSON text. */
  readonly bytes: string;
  /** The newer version that arrived first; '0' where there is no newer one. */
  readonly newer: string;
}

/** A row of `valuesQuery`. */
interface ValueRow {
  readonly version: string;
  readonly kind: string;
  /** JSON text; '' where deleted. */
  readonly value: string;
}

/** A row of `settingMessagesQuery`; times in microseconds. */
interface SettingMessageRow {
  readonly version: string;
  readonly type: 'identify' | 'session';
  readonly message_id: string;
  readonly occurred: string;
  readonly received: string;
}

const IN_VERSIONS = "version IN CAST({versions:Array(String)}, 'Array(UInt128)')";
/** See services/messages/version.ts. */
const ARRIVAL = 'bitAnd(bitShiftRight(version, 20), 18014398509481983)';

/**
 * The versions of a trait, newest first, each with the newer one that arrived first.
 *
 * @param below Only versions below this one.
 */
function versionsQuery(of: OneTrait, below: bigint, limit: number): Query {
  return {
    projectId: of.projectId,
    sql: `SELECT toString(version) AS version, toString(bytes) AS bytes, toString(newer) AS newer
          FROM
          (
              SELECT version, bytes,
                     argMin(version, ${ARRIVAL}) OVER (ORDER BY version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newer
              FROM (SELECT version, length(value) AS bytes FROM trait_value_rows FINAL WHERE ${ofUser(of)} AND trait = {trait:String})
          ) AS versions
          WHERE versions.version < {below:UInt128}
          ORDER BY versions.version DESC LIMIT {limit:UInt64}`,
    params: { ...userParams(of), trait: of.trait, below: below.toString(), limit: String(limit) },
  };
}

function valuesQuery(of: OneTrait, versions: readonly string[]): Query {
  return {
    projectId: of.projectId,
    sql: `SELECT toString(values.version) AS version, toString(values.kind) AS kind, values.value AS value
          FROM (SELECT version, kind, value FROM trait_value_rows FINAL
                WHERE ${ofUser(of)} AND ${IN_VERSIONS} AND trait = {trait:String}) AS values`,
    params: { ...userParams(of), trait: of.trait, versions },
  };
}

/** The messages of these versions: of the identifies and the sessions. */
function settingMessagesQuery(user: ProjectUser, versions: readonly string[]): Query {
  const of = (type: string, table: string): string =>
    `SELECT version, '${type}' AS type, message_id, timestamp, received_at, precedence
     FROM ${table} FINAL WHERE ${ofUser(user)} AND ${IN_VERSIONS}`;
  return {
    projectId: user.projectId,
    sql: `SELECT toString(messages.version) AS version, type, message_id, toUnixTimestamp64Micro(timestamp) AS occurred,
                 toUnixTimestamp64Micro(received_at) AS received
          FROM (${of('identify', 'identify_rows')} UNION ALL ${of('session', 'session_rows')}) AS messages
          ORDER BY messages.version, precedence DESC LIMIT 1 BY messages.version`,
    params: { ...userParams(user), versions },
  };
}
