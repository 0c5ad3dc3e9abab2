/** `GET /v1/users/:user_id/traits/:name/history`: the values that a trait was given, newest first. */
import { QueryBudget } from '../../audience/query-budget.ts';
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
import { type Checked, readLimit, refuseParameter, single } from '../query.ts';
import { MAX_PAGE_CHARS } from '../../audience/query-budget.ts';
import { BY, readNamedUser } from './named-user.ts';
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

export const HISTORY_PARAMETERS = [BY, 'limit', 'cursor'] as const;

const MAX_NAME_CHARS = 2_048;
const ABOVE_ALL = 2n ** 128n - 1n;

export function answerTraitHistory(stores: UserStores, call: Call): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const { query, project } = call;
    const user = readNamedUser(call);
    if (!user.ok) return user.refusal;
    const trait = readTraitName(call.params['name'] ?? '');
    if (!trait.ok) return trait.refusal;
    const limit = single(query, 'limit', readLimit);
    if (!limit.ok) return limit.refusal;
    const below = single(query, 'cursor', readVersion);
    if (!below.ok) return below.refusal;
    const named = { projectId: project.id, userKey: user.value, trait: trait.value };
    const budget = new QueryBudget(stores.analytics, stores.limitsOf(project));
    const page = await answerOf('analytics', readTraitHistory(budget, named, below.value, limit.value));
    const isKnown = page.values.length > 0 || below.value !== ABOVE_ALL;
    if (!isKnown && (await answerOf('profiles', stores.profiles.find(project.id, user.value))) === undefined)
      return NOBODY;
    return { status: 200, body: historyBody(trait.value, page) };
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

function readTraitName(text: string): Checked<string> {
  if (text.length > MAX_NAME_CHARS) return refuseParameter('name', `takes at most ${MAX_NAME_CHARS} characters`);
  return text.includes('\0') ? refuseParameter('name', 'holds a NUL character') : { ok: true, value: text };
}

function readVersion(text: string | undefined): Checked<bigint> {
  if (text === undefined) return { ok: true, value: ABOVE_ALL };
  if (!isHex(text, 32)) return refuseParameter('cursor', 'was not given by this service');
  return { ok: true, value: BigInt(`0x${text}`) };
}
