import { type Database, inCamelCase } from '../database/database.ts';

/** A sign-in to the console that has not ended. */
export interface ConsoleSession {
  readonly keyId: string;
  readonly lastUsedAtMs: number;
  /** It ends then, however much it is used. */
  readonly expiresAtMs: number;
}

export interface NewConsoleSession {
  /** SHA-256 of the cookie's text in hex: the text is stored nowhere. */
  readonly sha256: string;
  readonly keyId: string;
  readonly projectId: string | null;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * The sessions of the console, in a Postgres-compatible database (schemas/postgres/*-console-sessions.sql). Arguments and
 * results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` if the store cannot answer.
 */
export class SqlConsoleSessionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a session, and deletes those that have ended. @param unusedSinceMs One last used before this has ended. */
  async add(
    { sha256, keyId, projectId, madeAtMs, expiresAtMs }: NewConsoleSession,
    unusedSinceMs: number,
  ): Promise<void> {
    await this.#database.query(
      'delete from console_sessions where expires_at_ms < $1::int8 or last_used_at_ms < $2::int8',
      [BigInt(madeAtMs), BigInt(unusedSinceMs)],
    );
    await this.#database.query(
      `insert into console_sessions (sha256, key_id, project_id, made_at_ms, last_used_at_ms, expires_at_ms)
       values ($1, $2, $3, $4::int8, $4::int8, $5::int8)`,
      [sha256, keyId, projectId, BigInt(madeAtMs), BigInt(expiresAtMs)],
    );
  }

  /** Whether it has ended is left to the caller. */
  async find(sha256: string): Promise<ConsoleSession | undefined> {
    const columns = inCamelCase('key_id, last_used_at_ms::float8, expires_at_ms::float8');
    const sql = `select ${columns} from console_sessions where sha256 = $1`;
    return (await this.#database.query<ConsoleSession>(sql, [sha256]))[0];
  }

  async noteUsed(sha256: string, atMs: number): Promise<void> {
    await this.#database.query('update console_sessions set last_used_at_ms = $2::int8 where sha256 = $1', [
      sha256,
      BigInt(atMs),
    ]);
  }

  /** Idempotent. */
  async remove(sha256: string): Promise<void> {
    await this.#database.query('delete from console_sessions where sha256 = $1', [sha256]);
  }
}
