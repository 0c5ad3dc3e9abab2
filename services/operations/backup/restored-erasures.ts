/** The people who were forgotten, as a restore finds them: nothing of them comes back. */
import { blankRecord } from '../../event-log/blank.ts';
import type { LogRecord } from '../../event-log/event-log.ts';
import type { PartitionRecords } from '../../event-log/event-log.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { noteBlanked } from '../../stores/erasures/blanked-records.ts';
import { type ErasedUsers, userNamed, EVERYBODY } from '../../stores/erasures/erased-users.ts';
import { erasedOf } from '../../stores/erasures/read-erased-users.ts';
import type { ErasureRow } from '../erasure/erasures-file.ts';
import { PERSONAL_TOPICS, textOfKey } from '../erasure/forgotten-records.ts';
import type { BackupEntry, Manifest } from './manifest.ts';
import { readLines } from './rows-file.ts';
import { insertRows } from './tables.ts';
import { SqlJoinDecisions } from '../../stores/profiles/sql-join-decisions.ts';

const LISTED_AT_ONCE = 1_000;

/** A request of which the tables of a backup have nothing may be that much older: it had not ended. */
const SEEN_WITHIN_US = 60_000_000;

/** Those of the folder's newest list and those that were given besides. */
export class RestoredErasures {
  /** As readers know them. */
  readonly users: ErasedUsers;
  readonly #rows: readonly ErasureRow[];

  private constructor(rows: readonly ErasureRow[]) {
    this.#rows = rows;
    this.users = erasedOf(rows);
  }

  static async read(
    folder: string,
    { forgotten = [] }: Manifest,
    given: readonly ErasureRow[],
  ): Promise<RestoredErasures> {
    const rows = new Map(given.map((row) => [row.id, row]));
    for (const file of forgotten.filter(({ table }) => table === 'erasures')) {
      for await (const lines of readLines(folder, file, LISTED_AT_ONCE)) {
        for (const row of lines.map((line) => JSON.parse(line) as ErasureRow))
          if (!rows.has(row.id)) rows.set(row.id, row);
      }
    }
    return new RestoredErasures([...rows.values()]);
  }

  /** The records of a piece, blank where they are of somebody who was forgotten. */
  blankIn({ topic, records }: PartitionRecords): readonly LogRecord[] {
    if (this.users.size === 0 || !PERSONAL_TOPICS.includes(topic)) return records;
    return records.map((record) => (this.#isForgotten(record) ? blankRecord(record) : record));
  }

  /**
   * Fills the lists in the database, once its tables are. An erasure that ended after the backup is carried out again, as the
   * tables and the history of audiences may have something of the person. May be repeated.
   */
  async fill(database: Database, folder: string, { forgotten = [] }: Manifest, { at }: BackupEntry): Promise<void> {
    const madeAtUs = Date.parse(at) * 1_000;
    const found = await database.query<{ readonly id: string }>('select id from projects');
    const projects = new Set(found.map(({ id }) => id));
    // A project that is in the backup was deleted after it: the restore brings it back.
    const kept = this.#rows.filter((row) => row.user_key !== EVERYBODY || !projects.has(row.project_id));
    const rows = kept.map((row) =>
      isToRepeat(row, madeAtUs) ? { ...row, state: 'pending', finished_at_us: null } : row,
    );
    for (let start = 0; start < rows.length; start += LISTED_AT_ONCE) {
      const some = rows.slice(start, start + LISTED_AT_ONCE);
      await insertRows(
        database,
        'erasures',
        some.map((row) => JSON.stringify(row)),
      );
    }
    const since = rows.filter((row) => row.requested_at_us > madeAtUs - SEEN_WITHIN_US);
    await database.transaction(async (transaction) => {
      for (const { project_id, user_key, kept_apart } of since)
        await SqlJoinDecisions.forget(transaction, project_id, [user_key], kept_apart ?? []);
    });
    for (const file of forgotten.filter(({ table }) => table !== 'erasures'))
      for await (const lines of readLines(folder, file, LISTED_AT_ONCE)) await insertRows(database, file.table, lines);
    // Requests that were refused name people, whom nobody can tell from it.
    if (rows.some(({ requested_at_us: requested }) => requested > madeAtUs))
      await database.query('update refusals set example = null');
  }

  /** Lists what `blankIn` makes blank of a piece. May be repeated. */
  async list(database: Queryable, { topic, partition, records }: PartitionRecords): Promise<void> {
    if (this.users.size === 0 || !PERSONAL_TOPICS.includes(topic)) return;
    const blank = records.filter((record) => this.#isForgotten(record));
    const rows = blank.map(({ offset, key, appendedAtMs }) => {
      const { projectId } = userNamed(textOfKey(key));
      return { topic, partition, offset, projectId, hour: hourOf(BigInt(Math.floor(appendedAtMs)) * 1000n) };
    });
    await noteBlanked(database, rows);
  }

  /** By when the log stored it, which is no sooner than the message was received: what is in between, readers leave out. */
  #isForgotten({ key, appendedAtMs }: LogRecord): boolean {
    const cut = this.users.get(textOfKey(key));
    return cut !== undefined && BigInt(Math.floor(appendedAtMs)) * 1000n <= cut;
  }
}

/** One that takes messages of the person again is not: it would forget these too. */
function isToRepeat({ finished_at_us: finished, cut_us: cut }: ErasureRow, madeAtUs: number): boolean {
  return cut === null && finished !== null && finished > madeAtUs;
}
