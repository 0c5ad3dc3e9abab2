import { crc32 } from 'node:zlib';
import type { LogRecord, TopicPartition } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import { dayOf } from '../../messages/day-and-hour.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import type { Message } from '../../messages/message.ts';
import { type ErasedUsers, isErasedEvent } from '../../stores/erasures/erased-users.ts';
import { type EventCuts, isAboutGone } from '../../stores/projects/kept-events.ts';
import { EventLoopYielder } from '../../runtime/event-loop-yielder.ts';
import { type Checkpoints, type CellName, cellOf, type CheckedRange } from './checkpoints.ts';
import { holds, type Period } from './period.ts';
import { SeenBefore } from './seen-before.ts';

/** The figures of the log for one project in one partition and hour. */
export interface LogCell extends CellName {
  messages: number;
  repeats: number;
  /** The first offset and the last. */
  readonly first: bigint;
  last: bigint;
  /** Messages and repeats that the projector must have counted. */
  toCount: number;
  /** The messages of which analytics must have a row, and a checksum of their offsets and ids. */
  toHold: number;
  checksum: number;
  /** Messages of people who were forgotten. They are in no count beside: a reader had counted them before, or not. */
  forgotten: number;
  readonly notYet: { postgres: number; clickhouse: number };
  readonly unknown: { postgres: number; clickhouse: number };
  /** In the dead letters of the store's reader. */
  readonly deadLettered: { postgres: number; clickhouse: number };
}

/** A message and its coordinates. */
export interface Located extends TopicPartition {
  readonly record: LogRecord;
  readonly content: Message;
}

/** The offsets of a reader's dead letters, which are not in its store. By partition. */
export interface DeadLettered {
  has(reader: 'projector' | 'sink', place: TopicPartition, offset: bigint): boolean;
}

/** Checksums are sums of CRC-32, limited to what a double represents exactly. */
export const CHECKSUM_MODULUS = 2 ** 48;

/** Counts the messages of the log by project, partition and hour of arrival. Its memory grows only with these cells. */
export class LogCells {
  readonly cells = new Map<string, LogCell>();
  readonly #checkpoints: Checkpoints;
  readonly #deadLettered: DeadLettered;
  readonly #period: Period;
  readonly #cuts: EventCuts;
  readonly #erased: ErasedUsers;
  readonly #seen = new SeenBefore();
  /** Events that their projects no longer keep, which analytics may have or not, and those that were erased. */
  notKept = 0;
  // Most messages of a batch belong to one cell.
  #latest: LogCell | undefined;

  constructor(
    checkpoints: Checkpoints,
    deadLettered: DeadLettered,
    period: Period,
    { cuts, erased }: { readonly cuts: EventCuts; readonly erased: ErasedUsers },
  ) {
    this.#checkpoints = checkpoints;
    this.#deadLettered = deadLettered;
    this.#period = period;
    this.#cuts = cuts;
    this.#erased = erased;
  }

  /** Yields to the event loop every 2 ms. */
  async addAll(all: readonly Located[]): Promise<void> {
    const yielder = new EventLoopYielder();
    for (const one of all) {
      if (yielder.isOver()) await yielder.next();
      this.#add(one);
    }
  }

  #add(located: Located): void {
    const { content, record } = located;
    const hour = hourOf(content.receivedAt);
    // A replay of the dead letter appends a copy of the message, and that copy counts.
    const isAside = this.#deadLettered.has('sink', located, record.offset);
    const isRepeat = !isAside && this.#seen.add(identityOf(located));
    if (!holds(this.#period, content.projectId, hour)) return;
    const cell = this.#cellOf(located, hour);
    cell.last = record.offset;
    if (isRepeat) cell.repeats++;
    else cell.messages++;
    this.#count(cell, located);
    if (isAside) cell.deadLettered.clickhouse++;
    else if (!isRepeat && (isAboutGone(this.#cuts, content) || isErasedEvent(this.#erased, content))) this.notKept++;
    else if (!isRepeat) this.#hold(cell, located);
  }

  /** Messages of people who were forgotten: blank records, and those that the log still has. */
  addForgotten(name: CellName, messages: number, offset: bigint): void {
    if (!holds(this.#period, name.projectId, name.hour)) return;
    this.#cell(name, offset).forgotten += messages;
  }

  #count(cell: LogCell, { topic, partition, record: { offset } }: Located): void {
    const state = recordState(this.#checkpoints.checked.projector.get(nameOf({ topic, partition })), offset);
    if (state === 'not yet') cell.notYet.postgres++;
    else if (state === 'unknown') cell.unknown.postgres++;
    else if (this.#deadLettered.has('projector', { topic, partition }, offset)) cell.deadLettered.postgres++;
    else cell.toCount++;
  }

  #hold(cell: LogCell, { topic, partition, record: { offset }, content: { messageId } }: Located): void {
    const state = recordState(this.#checkpoints.checked.sink.get(nameOf({ topic, partition })), offset);
    if (state === 'not yet') cell.notYet.clickhouse++;
    else if (state === 'unknown') cell.unknown.clickhouse++;
    else {
      cell.toHold++;
      cell.checksum = (cell.checksum + crc32(`${partition}/${offset}/${messageId}`)) % CHECKSUM_MODULUS;
    }
  }

  #cellOf({ topic, partition, record, content: { projectId } }: Located, hour: Hour): LogCell {
    const latest = this.#latest;
    if (
      latest?.hour === hour &&
      latest.partition === partition &&
      latest.projectId === projectId &&
      latest.topic === topic
    ) {
      return latest;
    }
    const cell = this.#cell({ topic, partition, projectId, hour }, record.offset);
    this.#latest = cell;
    return cell;
  }

  #cell(name: CellName, offset: bigint): LogCell {
    let cell = this.cells.get(cellOf(name));
    if (cell === undefined) this.cells.set(cellOf(name), (cell = emptyCell(name, offset)));
    return cell;
  }
}

/** Whether a reader has processed an offset. */
export function recordState(checked: CheckedRange | undefined, offset: bigint): 'known' | 'not yet' | 'unknown' {
  if (checked === undefined || offset >= checked.to) return 'not yet';
  return offset < checked.from ? 'unknown' : 'known';
}

export function emptyCell(name: CellName, offset: bigint): LogCell {
  return {
    ...name,
    messages: 0,
    repeats: 0,
    first: offset,
    last: offset,
    toCount: 0,
    toHold: 0,
    checksum: 0,
    forgotten: 0,
    notYet: { postgres: 0, clickhouse: 0 },
    unknown: { postgres: 0, clickhouse: 0 },
    deadLettered: { postgres: 0, clickhouse: 0 },
  };
}

/** The identity of a message: two records with the same one are copies. For tracks it includes the name and the day. */
export function identityOf({ topic, content }: Pick<Located, 'topic' | 'content'>): string {
  const identity = `${topic}/${content.projectId}/${content.userKey}/${content.messageId}`;
  return content.type === 'track' ? `${identity}/${dayOf(content.timestamp)}/${content.event}` : identity;
}
