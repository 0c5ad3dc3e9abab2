/** The torture's load on a service that a test hurts, and in the end the torture's comparison of log and stores with it. */
import { readersPassed } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import type { StoreUrls } from '../support/stores/new-stores.ts';
import { caughtUp } from '../torture/check/catch-up.ts';
import { Findings } from '../torture/check/findings.ts';
import { compareStores } from '../torture/check/compare-stores.ts';
import { Load } from '../torture/load.ts';
import { provision } from '../torture/provision.ts';

const SEED = 48;
const CALLERS = 8;
const USERS_A_CALLER = 10;
const PAUSE_MS = 50;
const ANSWERED_WITHIN_MS = 60_000;
const CAUGHT_UP_WITHIN_MS = 120_000;

interface ServiceLoadOptions {
  /** The settings of the service, by which its stores are found. */
  readonly environment: Readonly<Record<string, string>>;
  /** Asked for each request, so that a process may take the place of another. */
  readonly doors: () => readonly ServiceProcess[];
  /** On average, between two requests of a caller. */
  readonly pauseMs?: number;
  /** How long callers wait for an answer. */
  readonly patienceMs?: readonly number[];
}

export class ServiceLoad {
  readonly load: Load;
  readonly #doors: ServiceLoadOptions['doors'];

  private constructor(load: Load, doors: ServiceLoadOptions['doors']) {
    this.load = load;
    this.#doors = doors;
  }

  /** Posts from now on, to the first project. */
  static async start({ environment, doors, pauseMs = PAUSE_MS, ...more }: ServiceLoadOptions): Promise<ServiceLoad> {
    const projects = await provision({ environment }, []);
    const urls = (): readonly string[] => doors().map(({ url }) => url);
    const load = new Load({
      seed: SEED,
      projects,
      doors: urls,
      lanes: CALLERS,
      usersALane: USERS_A_CALLER,
      pauseMs,
      ...more,
    });
    load.start();
    return new ServiceLoad(load, doors);
  }

  /** Messages answered 200. */
  get answered(): number {
    return this.load.ledger.count('answered');
  }

  /** Requests that were answered 503, and sent again. */
  get refused(): number {
    return this.load.answers.get('503') ?? 0;
  }

  /** Resolves once every caller was answered something begun after this that did not go to the spool, and it is read. */
  async passedSince(sinceMs: number): Promise<void> {
    const receipts = await this.load.receiptsSince(sinceMs);
    await Promise.all(receipts.map((receipt) => readersPassed(this.#door, receipt)));
  }

  /** Resolves once all that was sent is answered, and the readers have passed it. */
  async stop(): Promise<void> {
    await this.load.stop(ANSWERED_WITHIN_MS);
    await this.caughtUp();
  }

  /** Resolves once the readers have passed all that was sent, and what is sent to see that. */
  async caughtUp(): Promise<void> {
    const [project] = this.load.projects;
    if (project === undefined) throw new Error('no project');
    await caughtUp(this.#door.url, project, CAUGHT_UP_WITHIN_MS);
  }

  /** What is wrong with log and stores, by kind. Embedded ones are open to one process: the service must have ended. */
  async wrongIn(stores: StoreUrls): Promise<object> {
    const findings = new Findings();
    await compareStores(this.load, stores, findings);
    for (const wrong of this.load.wrong) findings.add('wrong answer', wrong);
    return findings.toJSON();
  }

  get #door(): ServiceProcess {
    const [door] = this.#doors();
    if (door === undefined) throw new Error('no door');
    return door;
  }
}
