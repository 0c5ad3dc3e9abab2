/** Each part with a slow store behind it, and more work than it can do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openAnalytics } from '../../services/stores/analytics/open.ts';
import { openDatabase } from '../../services/stores/database/open.ts';
import { caughtUp } from '../torture/check/catch-up.ts';
import { provision } from '../torture/provision.ts';
import { notReady, type Scene } from '../torture/scene.ts';
import { serversScene } from '../torture/servers-scene.ts';
import { Flood } from './flood.ts';
import { MemoryWatch, type Watched } from './memory-watch.ts';
import { DeafClients, Questions } from './questions.ts';

export type FloodName = 'ingest' | 'projector' | 'sink' | 'queries';
export const FLOODS: readonly FloodName[] = ['ingest', 'projector', 'sink', 'queries'];

export interface Flooded extends Watched {
  readonly name: FloodName;
  readonly answers: Readonly<Record<string, number>>;
  readonly offeredMiB: number;
  /** Answers without Retry-After, messages missing or doubled. */
  readonly wrong: readonly string[];
  /** From when the store was fast again until everything was. */
  readonly recoveredMs: number;
}

/** Less than unless told, so that it is reached soon. */
const MAX_UNACKNOWLEDGED_BYTES = String(2 * 1024 * 1024);
const RECOVERED_WITHIN_MS = 300_000;
// What came while a store was slow is read after it, by all readers on one machine.
const TIMES_AS_LONG = 5;
const REFUSED_WITHIN_MS = 60_000;
const DEAF = 100;

/** A process of each role on servers of its own, behind proxies that can be slow. */
export class Floods {
  readonly #scene: Scene;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async start(): Promise<Floods> {
    const scene = await serversScene({
      brokers: 1,
      processes: 1,
      settings: { MAX_UNACKNOWLEDGED_BYTES },
      largeDisks: true,
    });
    await scene.heal();
    const missing = await notReady(scene.processes, 120_000);
    if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`);
    return new Floods(scene);
  }

  async close(): Promise<void> {
    await this.#scene.close();
  }

  async run(name: FloodName, forMs: number): Promise<Flooded> {
    return name === 'queries' ? this.#askMuch(forMs) : this.#postMuch(name, forMs);
  }

  /** Posts while the store behind one part is slow, then waits until all is read again. */
  async #postMuch(name: Exclude<FloodName, 'queries'>, forMs: number): Promise<Flooded> {
    const { role, way, slowMs } = SLOW[name];
    const flood = new Flood(this.#door, `Flooded ${name}`, 24);
    const watch = await MemoryWatch.of(this.#pidOf(role));
    await this.#slow(way, slowMs);
    flood.start();
    await sleep(forMs);
    if (name === 'ingest') await refused(flood.answers);
    const watched = watch.stop();
    const healedAt = performance.now();
    await this.#scene.heal();
    await flood.stop();
    await this.#catchUp(RECOVERED_WITHIN_MS + TIMES_AS_LONG * forMs);
    const recoveredMs = Math.round(performance.now() - healedAt);
    const wrong = [...flood.wrong, ...(await this.#compare(flood))];
    return {
      name,
      ...watched,
      answers: Object.fromEntries(flood.answers),
      offeredMiB: mib(flood.offeredBytes),
      wrong,
      recoveredMs,
    };
  }

  async #askMuch(forMs: number): Promise<Flooded> {
    const flood = new Flood(this.#door, 'Asked for', 1);
    flood.start();
    while (flood.answeredBatches < 50) await sleep(50);
    await flood.stop();
    await this.#catchUp();
    const watch = await MemoryWatch.of(this.#pidOf('ingest-1'));
    await this.#slow('way to clickhouse', 100);
    const questions = new Questions(this.#door);
    questions.start(300, 'Asked for');
    const deaf = new DeafClients(this.#door, flood.user, DEAF);
    await sleep(forMs);
    await refused(questions.answers);
    const watched = watch.stop();
    const healedAt = performance.now();
    await this.#scene.heal();
    deaf.leave();
    await questions.stop();
    const wrong = [...questions.wrong];
    while ((await questions.one('Asked for')) !== 200) await sleep(100);
    const recoveredMs = Math.round(performance.now() - healedAt);
    return {
      name: 'queries',
      ...watched,
      answers: Object.fromEntries(questions.answers),
      offeredMiB: NaN,
      wrong,
      recoveredMs,
    };
  }

  get #door(): string {
    return this.#scene.doors[0] ?? '';
  }

  #pidOf(name: string): number {
    return this.#scene.processes.find((one) => one.name === name)?.pid ?? 0;
  }

  async #slow(way: string, ms: number): Promise<void> {
    const target = this.#scene.targets.find(({ name }) => name === way);
    await target?.begin('slow', ms);
  }

  async #catchUp(withinMs = RECOVERED_WITHIN_MS): Promise<void> {
    const [project] = await provision(this.#scene, []);
    if (project === undefined) throw new Error('no project');
    await caughtUp(this.#door, project, withinMs);
  }

  async #compare(flood: Flood): Promise<readonly string[]> {
    const { ANALYTICS_URL, PROFILES_URL } = this.#scene.stores;
    const [analytics, database] = [await openAnalytics(ANALYTICS_URL), await openDatabase(PROFILES_URL)];
    try {
      return await flood.wrongIn(analytics, database);
    } finally {
      await analytics.close();
      await database.close();
    }
  }
}

const SLOW = {
  ingest: { role: 'ingest-1', way: 'way to broker-1', slowMs: 2_000 },
  projector: { role: 'projector-1', way: 'way to postgres', slowMs: 200 },
  sink: { role: 'sink-1', way: 'way to clickhouse', slowMs: 200 },
} as const;

/** A machine that is slow itself may take longer to have more than it may. */
async function refused(answers: ReadonlyMap<string, number>): Promise<void> {
  const deadline = performance.now() + REFUSED_WITHIN_MS;
  while (!answers.has('429') && performance.now() < deadline) await sleep(50);
}

function mib(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
