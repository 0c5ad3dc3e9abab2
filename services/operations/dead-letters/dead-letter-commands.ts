import type { Codec } from '../../messages/codec.ts';
import type { Message } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { type CommandArguments, type CommandCall, type CommandEvent, commandInvalid } from '../../runtime/command.ts';
import { isRetryable, TidemarkError } from '../../runtime/errors.ts';
import { FacetCounter, type Facets } from './facet-counter.ts';
import { Listing, type DeadLetterSummary, type DeadLetterState, type ListCursor } from './listing.ts';
import { formatCoordinates } from './record-coordinates.ts';
import { editableRecord } from './editable-record.ts';
import { type Found, messageIn, readDeadLetters, readDeadLettersOf } from './read-dead-letters.ts';
import { deadLetterUnknown, idsOf, isOfProject, isSelected, selectionOf } from './selection.ts';
import type { Edit, EditResult } from './editor.ts';
import type { DeadLetterParts } from './settle.ts';
import { SettledDeadLetters } from './settled-dead-letters.ts';

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
  /** Its result is `ListedDeadLetters`. Ending the iteration ends the reading. */
  list(selection: CommandArguments): Promise<AsyncIterable<CommandEvent>>;
  /** Its result is a `WholeDeadLetter`. */
  show(id: string): Promise<AsyncIterable<CommandEvent>>;
  /** See `Editor`. */
  edit(edit: Edit): Promise<EditResult>;
}

const STATES = ['waiting', 'replayed', 'edited', 'dropped', 'any'] as const;
const LIMIT = 100;
const MAX_LIMIT = 10_000;

/** @throws TidemarkError `COMMAND_INVALID`; what the log and the stores throw. */
export async function listDeadLetters(
  parts: DeadLetterParts,
  args: CommandArguments,
  call: CommandCall,
): Promise<ListedDeadLetters> {
  const selection = selectionOf(args, Date.now());
  const wanted = readState(args['state']);
  const listing = new Listing(limitOf(args['limit']), readListCursor(args['cursor']));
  const facets = new FacetCounter();
  const settled = new SettledDeadLetters(parts.database);
  let unreadable = 0;
  for await (const piece of readDeadLetters(parts, call)) {
    unreadable += piece.unreadable;
    const found = piece.found.filter((one) => isSelected(selection, one));
    await prepare(parts.codec, found, selection.project !== undefined);
    const places = found.map(({ letter }) => letter);
    const [states, originals] = [await settled.find(places), await settled.originals(places)];
    for (const one of found) {
      const name = formatCoordinates(one.letter);
      const known = {
        message: messageIn(parts.codec, one.letter),
        settled: states.get(name),
        original: originals.get(name),
      };
      const state = known.settled?.state ?? 'waiting';
      // An edit that was interrupted waits to be sent again.
      const isWanted = wanted === 'any' || wanted === (state === 'editing' ? 'waiting' : state);
      if (!isWanted || !isOfProject(selection, known.message)) continue;
      listing.add(one, known);
      facets.add(one, known.message);
    }
  }
  const next = listing.next;
  return {
    dead_letters: listing.summaries(),
    next_cursor: next === undefined ? null : Buffer.from(`${next.failedAt} ${next.id}`).toString('base64url'),
    facets: facets.facets,
    unreadable,
  };
}

function readListCursor(value: unknown): ListCursor | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? Buffer.from(value, 'base64url').toString() : '';
  const [, failedAt, id] = /^(-?\d{1,18}) (\S{1,200})$/.exec(text) ?? [];
  if (failedAt === undefined || id === undefined) throw commandInvalid('cursor is not one that this service gave.');
  return { failedAt: BigInt(failedAt), id };
}

/** @throws TidemarkError `COMMAND_INVALID`, `DEAD_LETTER_UNKNOWN`; what the log and the stores throw. */
export async function showDeadLetter(parts: DeadLetterParts, id: string, call: CommandCall): Promise<WholeDeadLetter> {
  const ids = idsOf([id]);
  const listing = new Listing(1);
  const settled = new SettledDeadLetters(parts.database);
  let last: Found | undefined;
  for await (const one of readDeadLettersOf(parts, ids, call)) {
    last = one;
    await prepare(parts.codec, [one], false);
    const [states, originals] = [await settled.find([one.letter]), await settled.originals([one.letter])];
    const name = formatCoordinates(one.letter);
    listing.add(one, {
      message: messageIn(parts.codec, one.letter),
      settled: states.get(name),
      original: originals.get(name),
    });
  }
  const [summary] = listing.summaries();
  if (last === undefined || summary === undefined) throw deadLetterUnknown(id);
  const message = messageIn(parts.codec, last.letter);
  return {
    ...summary,
    key_base64: Buffer.from(last.letter.key).toString('base64'),
    value_base64: Buffer.from(last.letter.value).toString('base64'),
    message: message === undefined ? null : messageJson(message),
    record: message === undefined ? null : editableRecord(last.letter.topic, message),
  };
}

/** Loads the schemas. An unreachable registry matters only where the messages must be read. */
async function prepare(codec: Codec, found: readonly Found[], isNeeded: boolean): Promise<void> {
  try {
    await codec.prepare(found.map(({ letter }) => letter.value));
  } catch (error) {
    if (isNeeded || !isRetryable(error)) throw error;
  }
}

function messageJson({ timestamp, receivedAt, ...rest }: Message): Readonly<Record<string, unknown>> {
  const summary: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) {
    summary[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] = value;
  }
  return { ...summary, timestamp: formatMicros(timestamp), received_at: formatMicros(receivedAt) };
}

function readState(value: unknown = 'waiting'): DeadLetterState | 'any' {
  const state = STATES.find((one) => one === value);
  if (state !== undefined) return state;
  throw commandInvalid(`${JSON.stringify(value)} is no state; there are ${STATES.join(', ')}.`);
}

function limitOf(value: unknown = LIMIT): number {
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT) return Number(value);
  throw new TidemarkError('COMMAND_INVALID', `A limit is a whole number from 1 to ${MAX_LIMIT}.`);
}
