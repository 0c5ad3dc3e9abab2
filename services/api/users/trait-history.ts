/** `GET /v1/users/:user_id/traits/:name/history`: the values that a trait was given, newest first. */
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import type { JsonText, Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { timesOfVersion } from '../../messages/version.ts';
import {
  type OneTrait,
  type SettingMessageRow,
  settingMessagesQuery,
  type ValueRow,
  valuesQuery,
  type VersionRow,
  versionsQuery,
} from '../../stores/analytics/user-trait-history.ts';
import type { Input } from '../input.ts';
import { readCursor } from '../query.ts';
import { budgetOf, MAX_PAGE_CHARS, type QueryBudget } from '../../questions/query-budget.ts';
import { userKeyOfPath } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';
import { NOBODY } from './users.ts';

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

const ABOVE_ALL = 2n ** 128n - 1n;

export function answerTraitHistory(
  stores: UserStores,
  { project }: Call,
  input: Input<'GET /v1/users/{user_id}/traits/{name}/history'>,
): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const user = userKeyOfPath(project, input);
    if (!user.ok) return user.refusal;
    const below = readCursor(input.query.cursor, decodeVersion);
    if (!below.ok) return below.refusal;
    const trait = input.path.name;
    const named = { projectId: project.id, userKey: user.value, trait };
    const budget = budgetOf(stores, project);
    const history = readTraitHistory(budget, named, below.value ?? ABOVE_ALL, input.query.limit);
    const page = await answerOf('analytics', history);
    const isKnown = page.values.length > 0 || below.value !== undefined;
    if (!isKnown && (await answerOf('profiles', stores.profiles.find(project.id, user.value))) === undefined)
      return NOBODY;
    return { status: 200, body: historyBody(trait, page) };
  });
}

interface HistoryPage {
  readonly values: readonly GivenValue[];
  readonly next: bigint | null;
}

/**
 * Those below a version, newest first: a page of large values holds fewer than its limit.
 *
 * @throws TidemarkError as `AnalyticsReader.ask`.
 */
export async function readTraitHistory(
  budget: QueryBudget,
  trait: OneTrait,
  below: bigint,
  limit: number,
): Promise<HistoryPage> {
  // One more than the page holds tells whether there is another.
  const rows = await budget.ask<VersionRow>(versionsQuery(trait, below, limit + 1));
  const fitting = affordable(rows.slice(0, limit));
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
  return { values: given, next: rows.length > fitting.length ? BigInt(fitting.at(-1)?.version ?? 0) : null };
}

function affordable(rows: readonly VersionRow[]): readonly VersionRow[] {
  let bytes = 0;
  return rows.filter((row, index) => {
    bytes += Number(row.bytes);
    return index === 0 || bytes <= MAX_PAGE_CHARS;
  });
}

function settingMessage({ message_id: messageId, type, occurred, received }: SettingMessageRow): SettingMessage {
  return { messageId, type, timestamp: BigInt(occurred), receivedAt: BigInt(received) };
}

function historyBody(trait: string, { values, next }: HistoryPage): string {
  const cursor = next === null ? null : hexOf(next);
  const head = `{"trait":${JSON.stringify(trait)},"values":[${values.map(valueBody).join(',')}]`;
  return `${head},"next_cursor":${JSON.stringify(cursor)}}`;
}

/** The value is JSON text already and goes in untouched, every digit kept. */
function valueBody(given: GivenValue): string {
  const { value, newer } = given;
  const rest = {
    state: stateOf(given),
    ...messageBody(given),
    newer: newer && messageBody(newer),
  };
  return `{"value":${value},${JSON.stringify(rest).slice(1)}`;
}

/** Where the message's row is unknown, the times are those by which its version orders it. */
function messageBody({ version, message }: Pick<GivenValue, 'version' | 'message'>): object {
  const { timestamp, receivedAt } = message ?? timesOfVersion(version);
  return {
    message_id: message?.messageId ?? null,
    type: message?.type ?? null,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
    version: hexOf(version),
  };
}

/** `lost`: a newer one had arrived before it, so that the trait never had this value. */
export function stateOf({ version, newer }: GivenValue): 'current' | 'replaced' | 'lost' {
  if (newer === null) return 'current';
  return timesOfVersion(newer.version).receivedAt < timesOfVersion(version).receivedAt ? 'lost' : 'replaced';
}

function hexOf(version: bigint): string {
  return version.toString(16).padStart(32, '0');
}

function decodeVersion(text: string): bigint | undefined {
  return isHex(text, 32) ? BigInt(`0x${text}`) : undefined;
}
