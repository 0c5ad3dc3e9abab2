import { isDeepStrictEqual } from 'node:util';
import { isBlank } from '../../event-log/blank.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import { blankedCells, type BlankedCell, listedAmong } from '../../stores/erasures/blanked-records.ts';
import { type ErasedUsers, userNamed, EVERYBODY, isDeleted } from '../../stores/erasures/erased-users.ts';
import { hiddenUsers } from '../../stores/erasures/hidden.ts';
import { readErasedUsers } from '../../stores/erasures/read-erased-users.ts';
import type { RecordCoordinates } from '../../stores/analytics/columns.ts';
import type { Queryable } from '../../stores/database/database.ts';
import { type EventCuts, readEventCuts } from '../../stores/projects/kept-events.ts';
import { inSlices } from '../../stores/profiles/claims.ts';
import type { Finding } from '../../../schemas/verification-report.ts';
import { formatCoordinates } from '../dead-letters/record-coordinates.ts';
import type { LogCells } from './log-cells.ts';
import type { Period } from './period.ts';
import { Findings, UNKNOWN_MESSAGE } from './report.ts';
import type { ScannedMessages } from './scan-messages.ts';

const PLACES_AT_ONCE = 10_000;

/** A message of somebody who was forgotten, which the log still has. */
interface StillOnLog extends RecordCoordinates {
  readonly cell: Omit<BlankedCell, 'count'>;
}

/** The messages of people who were forgotten, as a verification meets them: still on the log, or blank. */
export class ForgottenMessages {
  readonly #database: Queryable;
  /** Everybody who was forgotten when it began, with those of deleted projects. */
  readonly erased: ErasedUsers;
  /** Without those: their messages are counted by project. */
  readonly people: ErasedUsers;
  /** The internal ids of those of whom analytics may still have rows, which nobody reads. */
  readonly hidden: readonly string[];
  /** The events that projects no longer keep. */
  readonly cuts: EventCuts;
  readonly #kept: StillOnLog[] = [];
  readonly #blank: RecordCoordinates[] = [];

  private constructor(database: Queryable, erased: ErasedUsers, hidden: readonly string[], cuts: EventCuts) {
    this.#database = database;
    this.erased = erased;
    this.people = new Map([...erased].filter(([name]) => userNamed(name).userKey !== EVERYBODY));
    this.hidden = hidden;
    this.cuts = cuts;
  }

  /** @param database Has the lists of people and of blank records. */
  static async read(database: Queryable): Promise<ForgottenMessages> {
    const [erased, hidden] = [await readErasedUsers(database), await hiddenUsers(database)];
    return new ForgottenMessages(database, erased, hidden, await readEventCuts(database));
  }

  /** Whether somebody else is forgotten, another project deleted, or fewer events kept now. */
  async hasChanged(): Promise<boolean> {
    const now = [await readErasedUsers(this.#database), await readEventCuts(this.#database)];
    return !isDeepStrictEqual(now, [this.erased, this.cuts]);
  }

  isDeleted(projectId: string): boolean {
    return isDeleted(this.erased, projectId);
  }

  add({ batch: { topic, partition, records }, forgotten }: ScannedMessages): void {
    for (const { record, content } of forgotten) {
      const cell = { topic, partition, projectId: content.projectId, hour: hourOf(content.receivedAt) };
      this.#kept.push({ topic, partition, offset: record.offset, cell });
    }
    for (const { offset } of records.filter(isBlank)) this.#blank.push({ topic, partition, offset });
  }

  /** Counts those of the period by cell: each once, also one that is listed and not blank yet. */
  async countIn(cells: LogCells, period: Period): Promise<void> {
    const listed = await this.#listed(this.#kept);
    for (const { cell, offset } of this.#kept)
      if (!listed.has(formatCoordinates({ ...cell, offset }))) cells.addForgotten(cell, 1, offset);
    for (const { count, ...cell } of await blankedCells(this.#database, period)) cells.addForgotten(cell, count, 0n);
  }

  /** The blank records that nobody has listed: what they were is lost. */
  async unlisted(): Promise<Finding> {
    const listed = await this.#listed(this.#blank);
    const found = new Findings();
    for (const { offset, ...at } of this.#blank) {
      if (listed.has(formatCoordinates({ ...at, offset }))) continue;
      found.add({ ...at, offset: String(offset), ...UNKNOWN_MESSAGE, why: 'it is blank, and was not forgotten' });
    }
    return found.result();
  }

  async #listed(places: readonly RecordCoordinates[]): Promise<ReadonlySet<string>> {
    const listed = new Set<string>();
    for (const some of inSlices(places, PLACES_AT_ONCE)) {
      for (const one of await listedAmong(this.#database, some)) listed.add(formatCoordinates(one));
    }
    return listed;
  }
}
