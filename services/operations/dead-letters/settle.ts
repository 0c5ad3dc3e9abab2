import type { Database } from '../../stores/database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';
import { type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import { type Found, messageIn, readDeadLetters } from './read-dead-letters.ts';
import { isEverything, isOfProject, isSelected, type Selection, selectionOf } from './selection.ts';
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
type Act = (found: readonly Found[], settled: SettledDeadLetters) => Promise<void>;

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
    const { log } = this.#parts;
    return this.#settle(args, call, async (found, settled) => {
      const records = found.map(({ letter: { topic, key, value } }) => ({ topic, key, value }));
      await settled.noteReplayed(found.map(coordinatesOf), await log.append(records));
    });
  }

  drop(args: CommandArguments, call: CommandCall): Promise<SettleResult> {
    return this.#settle(args, call, (found, settled) => settled.noteDropped(found.map(coordinatesOf)));
  }

  async #settle(args: CommandArguments, call: CommandCall, act: Act): Promise<SettleResult> {
    const order = orderOf(args);
    const choice = new Choice(order);
    for await (const { found } of readDeadLetters(this.#parts, call)) {
      const due = await this.#due(found, choice, order);
      if (due.length > 0 && !order.isDryRun) await act(due, this.#settled);
      call.signal.throwIfAborted();
      if (choice.isDone) break;
    }
    return { dry_run: order.isDryRun, ...choice.counts };
  }

  async #due(found: readonly Found[], choice: Choice, { selection }: Order): Promise<readonly Found[]> {
    const chosen = found.filter((one) => isSelected(selection, one) && isReplayable(one));
    if (chosen.length === 0) return [];
    await this.#parts.codec.prepare(chosen.map(({ letter }) => letter.value));
    const settled = await this.#settled.find(chosen.map(coordinatesOf));
    return chosen.filter((one) => {
      const message = messageIn(this.#parts.codec, one.letter);
      if (!isOfProject(selection, message)) return false;
      return choice.take(one, settled.has(formatCoordinates(one.letter)), message !== undefined);
    });
  }
}

/** The messages selected so far. */
class Choice {
  readonly #order: Order;
  readonly #seen = new Set<string>();
  readonly #missing: Set<string>;
  readonly #hasIds: boolean;
  #messages = 0;
  #undecodable = 0;
  #settledBefore = 0;

  constructor(order: Order) {
    this.#order = order;
    this.#missing = new Set(order.selection.ids);
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
      not_found: [...this.#missing],
    };
  }

  /** Whether the message is due: only when it is first seen, and not if an earlier command replayed or dropped it. */
  take({ at, letter }: Found, isSettled: boolean, isDecodable: boolean): boolean {
    const name = formatCoordinates(letter);
    this.#missing.delete(name);
    this.#missing.delete(formatCoordinates(at));
    if (this.#seen.has(name) || this.#messages >= this.#order.limit) return false;
    this.#seen.add(name);
    if (isSettled && !this.#order.again) {
      this.#settledBefore++;
      return false;
    }
    this.#messages++;
    if (!isDecodable) this.#undecodable++;
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
function isReplayable({ letter }: Found): boolean {
  return (MESSAGE_TOPICS as readonly string[]).includes(letter.topic);
}

function coordinatesOf({ letter: { topic, partition, offset } }: Found): RecordCoordinates {
  return { topic, partition, offset };
}
