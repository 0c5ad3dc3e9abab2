import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../../services/stores/database/database.ts';
import { migrateDatabase } from '../../../../services/stores/database/migrate.ts';
import { openDatabase } from '../../../../services/stores/database/open.ts';
import { beginningOf } from '../../../../services/event-log/identity.ts';
import type { Position } from '../../../../services/event-log/event-log.ts';
import { SqlProfileStore } from '../../../../services/stores/profiles/sql-profile-store.ts';
import { hasCode, isRetryable } from '../../../../services/runtime/errors.ts';
import { type Postgres, startPostgres } from '../../../servers/postgres.ts';
import { serverUrl } from '../../../servers/server.ts';
import {
  randomIdentity,
  randomProjectId,
  randomTopic,
  randomUserKey,
} from '../../../support/messages/random-project.ts';

// Where the tests have no Postgres at all, they can start none here.
const canRun = (await serverUrl('postgres')) !== undefined;

describe.skipIf(!canRun)('a server that goes away under load and comes back', () => {
  let folder: string;
  let server: Postgres;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    server = await startPostgres({ folder: join(folder, 'server') });
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test.each(['stop', 'kill'] as const)(
    '(%s) loses nothing it answered for, and halves nothing',
    { timeout: 120_000 },
    async (howItEnds) => {
      const database = await openDatabase(`${server.url}?pool_max=3`);
      await migrateDatabase(database);
      const writers = Array.from({ length: 6 }, () => new Writer(database));
      for (const writer of writers) writer.start();
      const allWrote = (more: bigint) => {
        const goals = writers.map(({ acknowledged }) => acknowledged + more);
        return expect.poll(() => writers.every(({ acknowledged }, index) => acknowledged >= goals[index]!), PATIENCE);
      };
      await allWrote(10n).toBe(true);

      await server[howItEnds]();
      await expect.poll(() => writers.every(({ failures }) => failures > 0), PATIENCE).toBe(true);
      await server.start();

      await allWrote(10n).toBe(true);
      const ends = await Promise.all(writers.map((writer) => writer.stop()));
      for (const { acknowledged, position, trait, wentBack } of ends) {
        expect(wentBack).toBe(false);
        expect(position).toBe(acknowledged);
        expect(trait).toBe(`{"n": ${position}}`);
      }
      await database.close();
    },
  );
});

const PATIENCE = { timeout: 40_000 };

/** Moves a partition step by step, as a projector does, each step with what it says of one user. */
class Writer {
  readonly #store: SqlProfileStore;
  readonly #who = { projectId: randomProjectId(), userKey: randomUserKey() };
  #at: Position = beginningOf({ topic: randomTopic(), partition: 0 });
  #stopping = false;
  #running: Promise<void> | undefined;
  #wentBack = false;
  failures = 0;

  constructor(database: Database) {
    this.#store = new SqlProfileStore(database);
  }

  /** How many steps the database has answered for. */
  get acknowledged(): bigint {
    return this.#at.offset;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop() {
    this.#stopping = true;
    await this.#running;
    const [position] = await this.#store.positions([this.#at]);
    const profile = await this.#store.find(this.#who.projectId, this.#who.userKey);
    const { acknowledged } = this;
    return { acknowledged, position: position?.offset, trait: profile?.traits, wentBack: this.#wentBack };
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#step();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        this.failures++;
        await delay(20);
      }
    }
  }

  async #step(): Promise<void> {
    const to = { ...this.#at, offset: this.#at.offset + 1n, identity: randomIdentity() };
    try {
      await this.#store.write([{ from: this.#at, to }], [], () => [this.#change(to.offset)]);
      this.#at = to;
    } catch (error) {
      if (!hasCode(error, 'POSITION_MOVED')) throw error;
      // A commit whose answer was lost.
      const [stands = beginningOf(to)] = await this.#store.positions([to]);
      if (stands.offset < this.#at.offset) this.#wentBack = true;
      this.#at = stands;
    }
  }

  #change(n: bigint) {
    const version = n.toString(16).padStart(32, '0');
    const traits = new Map([['n', { value: String(n), version }]]);
    const nothing = { userId: null, anonymousId: null, sightings: new Map(), anonymous: null };
    return { ...this.#who, ...nothing, firstSeen: n, lastSeen: n, traits };
  }
}
