/** `GET /v1/users/:user_id/traits/:name/history`: the values that a trait was given, newest first. */
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { isHex } from '../../messages/hex.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { Input } from '../input.ts';
import { readCursor } from '../query.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { type GivenValue, type HistoryPage, readTraitHistory, stateOf } from '../../questions/users/trait-history.ts';
import { answerIfKnown, personNamed } from './named-user.ts';
import type { UserStores } from './store-parts.ts';

const ABOVE_ALL = 2n ** 128n - 1n;

export async function answerTraitHistory(
  stores: UserStores,
  { project }: Call,
  userKey: string,
  { path: { name: trait }, query: { cursor, limit } }: Input<'GET /v1/users/{user_id}/traits/{name}/history'>,
): Promise<Answer | Refusal> {
  const below = readCursor(cursor, decodeVersion);
  if (!below.ok) return below.refusal;
  const person = await personNamed(stores, project, userKey);
  const page = await readTraitHistory(budgetOf(stores, project), { ...person, trait }, below.value ?? ABOVE_ALL, limit);
  const isInAnalytics = page.values.length > 0 || below.value !== undefined;
  return answerIfKnown(stores, person, isInAnalytics, historyBody(trait, page));
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

function hexOf(version: bigint): string {
  return version.toString(16).padStart(32, '0');
}

function decodeVersion(text: string): bigint | undefined {
  return isHex(text, 32) ? BigInt(`0x${text}`) : undefined;
}
