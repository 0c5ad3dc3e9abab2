import type { Database } from '../../stores/database/database.ts';
import { readUpTo } from '../../stores/profiles/dead-letter-rows.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { DEAD_LETTER_TOPIC, MESSAGE_TOPICS } from '../../messages/message.ts';
import { type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { messagesNamed } from './find-dead-letter.ts';
import { followDeadLetters } from './follow-dead-letters.ts';
import { lettersAt } from './letters-on-log.ts';
import { countDue, type DueLetter, readDue, type WantedLetters } from './listing.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { isEverything, type Selection, selectionOf } from './selection.ts';
import { SettledDeadLetters } from './settled-dead-letters.ts';

export interface DeadLetterParts {
  readonly log: Pick<EventLog, 'append' | 'scan' | 'ends' | 'beginnings'>;
  readonly codec: Codec;
  readonly database: Pick<Database, 'query'>;
}

export interface SettleResult {
  readonly dry_run: boolean;
  /** The number of messages that were replayed or dropped, or would be. */
  readonly messages: number;
  /** Those of them that this version cannot decode either: their copies will become dead letters again. */
  readonly still_undecodable: number;
  /** Selected messages that were replayed or dropped before. They are not changed. */
  readonly settled_before: number;
  /** Ids that name no dead letter. */
  readonly not_found: readonly string[];
}

interface Order {
  readonly selection: Selection;
  readonly isDryRun: boolean;
  /** Whether to include messages that were replayed or dropped before. */
  readonly again: boolean;
  readonly limit: number;
}

/** Replays or drops messages in the order given, and records it. May be repeated for all of them. */
type Act = (due: readonly DueLetter[], settled: SettledDeadLetters, signal: AbortSignal) => Promise<void>;

// The bytes of each may be half a megabyte.
const LETTERS_AT_ONCE = 200;

/** Replays or drops the dead letters that a command selects, each message once, in batches. */
export class Settler {
  readonly #parts: DeadLetterParts;
  readonly #settled: SettledDeadLetters;

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
    this.#settled = new SettledDeadLetters(parts.database);
  }

  /**
   * Appends messages to their topics again, with unchanged keys and values. After a crash before the replay is
   * recorded, the next replay appends them again; readers count copies of a message once.
   */
  replay(args: CommandArguments, call: CommandCall): Promise<SettleResult> {
    return this.#settle(args, call, async (due, settled, signal) => {
      const letters = await lettersAt(this.#parts, due.map(letterCoordinatesOf), signal);
      // One is not there any more where its person was forgotten meanwhile.
      const found = due.flatMap((one) => letters.get(formatCoordinates(letterCoordinatesOf(one))) ?? []);
      const records = found.map(({ topic, key, value }) => ({ topic, key, value }));
      await settled.noteReplayed(found, await this.#parts.log.append(records));
    });
  }

  drop(args: CommandArguments, call: CommandCall): Promise<SettleResult> {
    return this.#settle(args, call, (due, settled) => settled.noteDropped(due));
  }

  async #settle(args: CommandArguments, call: CommandCall, act: Act): Promise<SettleResult> {
    const order = orderOf(args);
    const { signal } = call;
    await followDeadLetters(this.#parts, { signal });
    const { database } = this.#parts;
    // Copies that are refused again come after these.
    const lasts = await readUpTo(database);
    const { ids } = order.selection;
    const named = ids && (await messagesNamed(this.#parts, ids, signal));
    const wanted: WantedLetters = {
      selection: order.selection,
      state: 'any',
      ...(named && { messages: [...named.values()] }),
    };
    const total = await countDue(database, wanted, lasts);
    const choice = new Choice(order, named);
    let [done, after]: [number, DueLetter | undefined] = [0, undefined];
    while (done < total && !choice.isDone) {
      signal.throwIfAborted();
      const letters = await readDue(database, wanted, lasts, { limit: LETTERS_AT_ONCE, after });
      const due = letters.filter((one) => isReplayable(one) && choice.take(one));
      if (due.length > 0 && !order.isDryRun) await act(due, this.#settled, signal);
      // There are fewer where people were forgotten meanwhile.
      done = letters.length < LETTERS_AT_ONCE ? total : done + letters.length;
      after = letters.at(-1);
      call.report({ done, total, unit: 'dead letters' });
    }
    return { dry_run: order.isDryRun, ...choice.counts };
  }
}

/** The messages selected so far. */
class Choice {
  readonly #order: Order;
  readonly #seen = new Set<string>();
  /** The ids that name no message that was selected, and the message of each. */
  readonly #missing: Map<string, string>;
  readonly #hasIds: boolean;
  #messages = 0;
  #undecodable = 0;
  #settledBefore = 0;

  constructor(order: Order, named: ReadonlyMap<string, RecordCoordinates> | undefined) {
    this.#order = order;
    this.#missing = new Map([...(named ?? [])].map(([id, message]) => [id, formatCoordinates(message)]));
    this.#hasIds = this.#missing.size > 0;
  }

  get isDone(): boolean {
    return this.#messages >= this.#order.limit || (this.#hasIds && this.#missing.size === 0);
  }

  get counts(): Omit<SettleResult, 'dry_run'> {
    return {
      messages: this.#messages,
      still_undecodable: this.#undecodable,
      settled_before: this.#settledBefore,
      not_found: [...this.#missing.keys()],
    };
  }

  /** Whether the message is due: only when it is first seen, and not if an earlier command replayed or dropped it. */
  take(letter: DueLetter): boolean {
    const name = formatCoordinates(letter);
    for (const [id, message] of this.#missing) if (message === name) this.#missing.delete(id);
    if (this.#seen.has(name) || this.#messages >= this.#order.limit) return false;
    this.#seen.add(name);
    // An edit that was begun is to be sent again.
    const isSettled = letter.state === 'editing' || (letter.state !== 'waiting' && !this.#order.again);
    if (isSettled) {
      this.#settledBefore++;
      return false;
    }
    this.#messages++;
    if (!letter.isDecodable) this.#undecodable++;
    return true;
  }
}

/** @throws TidemarkError `COMMAND_INVALID` where the arguments of a replay or a drop are wrong. */
export function orderOf(args: CommandArguments): Order {
  const selection = selectionOf(args, Date.now());
  const { all = false, again = false, dry_run: isDryRun = false, limit = Infinity } = args;
  if (isEverything(selection) && all !== true) throw commandInvalid('Name dead letters by id or filter, or say --all.');
  if (again === true && selection.ids === undefined) throw commandInvalid('--again is for dead letters named by id.');
  if (limit !== Infinity && !(Number.isSafeInteger(limit) && Number(limit) >= 1)) {
    throw commandInvalid('A limit is a whole number from 1 up.');
  }
  return { selection, isDryRun: isDryRun === true, again: again === true, limit: Number(limit) };
}

/** Dead letters of a topic that no longer exists can be listed but not replayed. */
function isReplayable({ topic }: DueLetter): boolean {
  return (MESSAGE_TOPICS as readonly string[]).includes(topic);
}

function letterCoordinatesOf({ letterPartition: partition, letterOffset: offset }: DueLetter): RecordCoordinates {
  return { topic: DEAD_LETTER_TOPIC, partition, offset };
}
