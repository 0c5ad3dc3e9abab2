import type { Message } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { type CommandArguments, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { editableRecord } from './editable-record.ts';
import type { Edit, EditResult } from './editor.ts';
import { findDeadLetter } from './find-dead-letter.ts';
import { type FollowedParts, followDeadLetters, type FollowOptions } from './follow-dead-letters.ts';
import { messageIn, prepareMessages } from './letters-on-log.ts';
import {
  countUnreadable,
  type DeadLetterSummary,
  type Facets,
  type ListCursor,
  readFacets,
  readListed,
  type WantedLetters,
} from './listing.ts';
import { selectionOf } from './selection.ts';
import type { DeadLetterCounts } from './waiting-dead-letters.ts';

export interface ListedDeadLetters {
  /** Newest first. */
  readonly dead_letters: readonly DeadLetterSummary[];
  /** Where the next page begins; null on the last page. */
  readonly next_cursor: string | null;
  /** Facets of all that were selected, not of this page alone. */
  readonly facets: Facets;
  /** Records of the topic that are not valid dead letters. */
  readonly unreadable: number;
}

/** A dead letter with all details. */
export interface WholeDeadLetter extends DeadLetterSummary {
  readonly key_base64: string;
  readonly value_base64: string;
  /** Null if it cannot be decoded. Times are RFC 3339, and free-form objects are the text as it was sent. */
  readonly message: Readonly<Record<string, unknown>> | null;
  /** The message as it can be edited; null if it cannot be decoded. Every digit of its numbers is there. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

/** As HTTP calls it, from another thread too. */
export interface DeadLetterPort {
  list(selection: CommandArguments): Promise<ListedDeadLetters>;
  /** A `WholeDeadLetter` as JSON: between threads its numbers would lose their digits. */
  show(id: string): Promise<string>;
  countWaiting(): Promise<DeadLetterCounts>;
  /** See `Editor`. */
  edit(edit: Edit): Promise<EditResult>;
}

const STATES = ['waiting', 'replayed', 'edited', 'dropped', 'any'] as const;
const LIMIT = 100;
const MAX_LIMIT = 10_000;

/** @throws TidemarkError `COMMAND_INVALID`; what the log and the stores throw. */
export async function listDeadLetters(
  parts: FollowedParts,
  args: CommandArguments,
  options: FollowOptions = {},
): Promise<ListedDeadLetters> {
  const wanted = { selection: selectionOf(args, Date.now()), state: readState(args['state']) };
  const [limit, after] = [limitOf(args['limit']), readListCursor(args['cursor'])];
  await followDeadLetters(parts, options);
  const { database } = parts;
  const [found, facets, unreadable] = await Promise.all([
    readListed(database, wanted, limit + 1, after),
    readFacets(database, wanted),
    countUnreadable(database),
  ]);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { dead_letters: page.map(({ summary }) => summary), next_cursor: cursorAfter(last), facets, unreadable };
}

function cursorAfter(last: ListCursor | undefined): string | null {
  return last === undefined ? null : Buffer.from(`${last.failedAt} ${last.id}`).toString('base64url');
}

function readListCursor(value: unknown): ListCursor | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : '';
  const [, failedAt, id] = /^(-?\d{1,18}) (\S{1,200})$/.exec(text) ?? [];
  if (failedAt === undefined || id === undefined) throw commandInvalid('cursor is not one that this service gave.');
  return { failedAt: BigInt(failedAt), id };
}

/** @throws TidemarkError `COMMAND_INVALID`, `DEAD_LETTER_UNKNOWN`; what the log and the stores throw. */
export async function showDeadLetter(
  parts: FollowedParts,
  id: string,
  options: FollowOptions = {},
): Promise<WholeDeadLetter> {
  const { summary, letter } = await findDeadLetter(parts, id, options);
  await prepareMessages(parts.codec, [letter]);
  const message = messageIn(parts.codec, letter);
  return {
    ...summary,
    key_base64: Buffer.from(letter.key).toString('base64'),
    value_base64: Buffer.from(letter.value).toString('base64'),
    message: message === undefined ? null : messageJson(message),
    record: message === undefined ? null : editableRecord(letter.topic, message),
  };
}

function messageJson({ timestamp, receivedAt, ...rest }: Message): Readonly<Record<string, unknown>> {
  const summary: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    summary[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  }
  return { ...summary, timestamp: formatMicros(timestamp), received_at: formatMicros(receivedAt) };
}

function readState(value: unknown = 'waiting'): WantedLetters['state'] {
  const state = STATES.find((one) => one === value);
  if (state !== undefined) return state;
  throw commandInvalid(`${JSON.stringify(value)} is no state; there are ${STATES.join(', ')}.`);
}

function limitOf(value: unknown = LIMIT): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT) return Number(value);
  throw new TidemarkError('COMMAND_INVALID', `A limit is a whole number from 1 to ${MAX_LIMIT}.`);
}
