import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from './dice.ts';
import { Lane, type LaneOptions, PATIENCE_MS, type Reply } from './lane.ts';
import { Ledger } from './check/ledger.ts';
import { type TestedProject, usersOf } from './project.ts';
import { RequestMaker } from './requests.ts';
import { TraitsTold } from './check/traits-told.ts';

const LOOK_EVERY_MS = 20;

export interface LoadOptions {
  readonly seed: number;
  readonly projects: readonly TestedProject[];
  readonly doors: () => readonly string[];
  /** Callers at once. */
  readonly lanes: number;
  readonly usersALane: number;
  readonly pauseMs: number;
  /** How long callers wait for an answer, one of these for each request; little patience too unless told. */
  readonly patienceMs?: LaneOptions['patienceMs'];
  /** What is remembered of a load before this one; nothing by default. */
  readonly before?: Pick<Load, 'ledger' | 'told'>;
}

/** Callers of several projects, and what they remember. */
export class Load {
  readonly ledger: Ledger;
  readonly told: TraitsTold;
  /** Requests made, by the status of their answer; `none` where there was none. */
  readonly answers = new Map<string, number>();
  /** Answers that no fault excuses. */
  readonly wrong: string[] = [];
  /** The longest time in which no request was answered 200. */
  longestOutageMs = 0;
  /** When a request was last answered 200, by the monotonic clock. */
  answeredAt = NaN;
  /** Requests that were answered 200 and wait in the spool. */
  spooled = 0;
  readonly projects: readonly TestedProject[];
  readonly #lanes: readonly Lane[];
  /** The last request of each lane that was answered 200 with a receipt. */
  readonly #passed = new Map<number, { readonly receipt: string; readonly begunAt: number }>();
  #running: Promise<unknown> = Promise.resolve();

  constructor({ seed, projects, lanes, usersALane, before, ...options }: LoadOptions) {
    this.projects = projects;
    this.ledger = before?.ledger ?? new Ledger();
    this.told = before?.told ?? new TraitsTold();
    const dice = new Dice(seed);
    this.#lanes = Array.from({ length: lanes }, (_, lane) => {
      const project = projects[lane % projects.length];
      if (project === undefined) throw new Error('no project to send to');
      const own = { dice: dice.fork(), project, ledger: this.ledger, told: this.told };
      const maker = new RequestMaker(own, usersOf(project, lane, usersALane));
      return new Lane({
        ...own,
        maker,
        writeKey: project.writeKey,
        doors: options.doors,
        pauseMs: options.pauseMs,
        patienceMs: options.patienceMs ?? PATIENCE_MS,
        onAnswer: (reply) => this.#note(lane, reply),
        onWrong: (what) => this.wrong.push(what),
      });
    });
  }

  start(): void {
    this.answeredAt = performance.now();
    this.#running = Promise.all(this.#lanes.map((lane) => lane.run()));
  }

  /** Resolves once everything that can be sent again is answered; after `patienceMs` the rest is given up. */
  async stop(patienceMs: number): Promise<void> {
    for (const one of this.#lanes) one.stop();
    const timer = setTimeout(() => this.#lanes.forEach((lane) => lane.giveUp()), patienceMs);
    await this.#running;
    clearTimeout(timer);
  }

  /** Resolves once every lane was answered 200, with a receipt, something that it began after this; with the receipts. */
  async receiptsSince(sinceMs: number): Promise<readonly string[]> {
    const isPast = (lane: number): boolean => (this.#passed.get(lane)?.begunAt ?? 0) > sinceMs;
    while (!this.#lanes.every((_, lane) => isPast(lane))) await sleep(LOOK_EVERY_MS);
    return [...this.#passed.values()].map(({ receipt }) => receipt);
  }

  #note(lane: number, { status, answer, begunAt }: Reply): void {
    const name = String(status ?? 'none');
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (status !== 200) return;
    const now = performance.now();
    this.longestOutageMs = Math.max(this.longestOutageMs, now - this.answeredAt);
    this.answeredAt = now;
    const receipt = receiptIn(answer);
    if (receipt === null) this.spooled++;
    else if (receipt !== undefined) this.#passed.set(lane, { receipt, begunAt });
  }
}

interface WithReceipt {
  /** Null where the messages wait in the spool. */
  readonly receipt?: string | null;
}

function receiptIn(answer: unknown): WithReceipt['receipt'] {
  const { result, receipt } = answer as WithReceipt & { readonly result?: WithReceipt };
  return result === undefined ? receipt : result.receipt;
}
