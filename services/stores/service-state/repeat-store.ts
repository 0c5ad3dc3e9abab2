import type { Database } from '../database/database.ts';

/** A request that may be sent again. */
export interface RepeatableRequest {
  /** A digest of the sender and the Idempotency-Key. */
  readonly name: string;
  /** The id of the key that sent it. */
  readonly principal: string;
  /** A digest of everything that was asked: another under the same name is another request. */
  readonly fingerprint: string;
  readonly atMs: number;
}

/** What a request was answered. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null where it is not to be shown again. */
  readonly body: string | null;
  /** The id or path of what was made, where that is known. */
  readonly made: string | null;
}

export interface KeptRequest {
  readonly fingerprint: string;
  /** Null while it is being answered, or where its process ended before it was. */
  readonly answer: KeptAnswer | null;
}

const REMEMBERED_MS = 24 * 3_600_000;
const MAX_OF_ONE_KEY = 10_000;

/**
 * In a Postgres-compatible database (schemas/postgres/*-repeats.sql). Arguments and results can be cloned between threads.
 * Methods throw `STORE_UNAVAILABLE` if the store cannot answer.
 */
export class SqlRepeatStore {
  readonly #database: Pick<Database, 'query'>;

  constructor(database: Pick<Database, 'query'>) {
    this.#database = database;
  }

  /** Undefined where this is the first of its name, which is kept from now on; else what is known of the first. */
  async begin({ name, principal, fingerprint, atMs }: RepeatableRequest): Promise<KeptRequest | undefined> {
    await this.#database.query('delete from repeats where made_at_ms <= $1::int8', [BigInt(atMs - REMEMBERED_MS)]);
    await this.#database.query(DELETE_BEYOND_BOUND, [principal, MAX_OF_ONE_KEY]);
    const added = await this.#database.query(
      `insert into repeats (name, principal, fingerprint, made_at_ms) values ($1, $2, $3, $4::int8)
       on conflict (name) do nothing returning name`,
      [name, principal, fingerprint, BigInt(atMs)],
    );
    if (added.length > 0) return undefined;
    const [row] = await this.#database.query<RepeatRow>(
      'select fingerprint, status, headers, body, made from repeats where name = $1',
      [name],
    );
    // Forgotten in between: whoever sends it once more begins it.
    return row === undefined ? { fingerprint, answer: null } : { fingerprint: row.fingerprint, answer: answerOf(row) };
  }

  async finish(name: string, { status, headers, body, made }: KeptAnswer): Promise<void> {
    await this.#database.query('update repeats set status = $2, headers = $3, body = $4, made = $5 where name = $1', [
      name,
      status,
      JSON.stringify(headers),
      body,
      made,
    ]);
  }

  /** Forgets a request that did nothing. Idempotent. */
  async forget(name: string): Promise<void> {
    await this.#database.query('delete from repeats where name = $1', [name]);
  }
}

const DELETE_BEYOND_BOUND = `
  delete from repeats where principal = $1 and made_at_ms <=
    (select made_at_ms from repeats where principal = $1 order by made_at_ms desc offset $2::int8 - 1 limit 1)`;

interface RepeatRow {
  readonly fingerprint: string;
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: string | null;
  readonly made: string | null;
}

function answerOf({ status, headers, body, made }: RepeatRow): KeptAnswer | null {
  if (status === null) return null;
  return { status, headers: JSON.parse(headers ?? '{}') as KeptAnswer['headers'], body, made };
}
