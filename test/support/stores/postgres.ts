import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Database } from '../../../services/stores/database/database.ts';
import { openDatabase } from '../../../services/stores/database/open.ts';
import { type FreshDatabase, freshDatabase } from './fresh-database.ts';

/** A new, empty database on a Postgres server for the tests of one `describe`. */
export class PostgresBench {
  #fresh: FreshDatabase | undefined;

  constructor(server: string | undefined) {
    beforeAll(async () => {
      if (server === undefined) throw new Error('skip these tests where there is no server');
      this.#fresh = await freshDatabase(server);
    });
    afterAll(() => this.#fresh?.drop());
  }

  get url(): string {
    if (!this.#fresh) throw new Error('not made yet');
    return this.#fresh.url;
  }

  get name(): string {
    return new URL(this.url).pathname.slice(1);
  }

  /** The URL with something of it changed. */
  changed(change: Partial<Pick<URL, 'username' | 'password' | 'hostname' | 'port' | 'pathname' | 'search'>>): string {
    return Object.assign(new URL(this.url), change).href;
  }

  /** Open until the test ends. */
  async open(parameters = '', url = this.url): Promise<Database> {
    const database = await openDatabase(`${url}?${parameters}`);
    onTestFinished(() => database.close());
    return database;
  }

  /** From another connection than those that a test is about. */
  async ask(sql: string): Promise<readonly Record<string, unknown>[]> {
    const another = await openDatabase(this.url);
    try {
      return await another.query(sql);
    } finally {
      await another.close();
    }
  }
}
