import type { Database } from '../database/database.ts';
import { NOW_MS } from '../database/sql-time.ts';
import { FORGOTTEN_AFTER_MS, type ProcessReport, type ProcessStore, type SeenProcess } from './process-store.ts';

/** In a Postgres-compatible database (schemas/postgres/014-processes.sql). */
export class SqlProcessStore implements ProcessStore {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  async report(report: ProcessReport): Promise<void> {
    await this.#database.query(REPORT, [report.id, JSON.stringify(report)]);
  }

  async remove(id: string): Promise<void> {
    await this.#database.query('delete from processes where id = $1', [id]);
  }

  async list(): Promise<readonly SeenProcess[]> {
    const rows = await this.#database.query<{ readonly report: string; readonly age_ms: bigint }>(PROCESSES);
    return rows.map(({ report, age_ms: ageMs }) => {
      return { ...(JSON.parse(report) as ProcessReport), ageMs: Number(ageMs) };
    });
  }
}

const REPORT = `
  with forgotten as (
    delete from processes where beat_at_ms < ${NOW_MS} - ${FORGOTTEN_AFTER_MS} and id <> $1
  )
  insert into processes (id, report, beat_at_ms) values ($1, $2, ${NOW_MS})
  on conflict (id) do update set report = excluded.report, beat_at_ms = excluded.beat_at_ms`;

const PROCESSES = `
  select report, ${NOW_MS} - beat_at_ms as age_ms
  from processes
  where beat_at_ms >= ${NOW_MS} - ${FORGOTTEN_AFTER_MS}
  order by id`;
