import { Dice } from './dice.ts';
import { Lane } from './lane.ts';
import { Ledger } from './check/ledger.ts';
import { type TestedProject, usersOf } from './project.ts';
import { RequestMaker } from './requests.ts';
import { TraitsTold } from './check/traits-told.ts';

export interface LoadOptions {
  readonly seed: number;
  readonly projects: readonly TestedProject[];
  readonly doors: readonly string[];
  /** Callers at once. */
  readonly lanes: number;
  readonly usersALane: number;
  readonly pauseMs: number;
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
  readonly projects: readonly TestedProject[];
  readonly #lanes: readonly Lane[];
  #running: Promise<unknown> = Promise.resolve();

  constructor({ seed, projects, doors, lanes, usersALane, pauseMs, before }: LoadOptions) {
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
        doors,
        pauseMs,
        onAnswer: (status) => this.#count(status),
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
    for (const lane of this.#lanes) lane.stop();
    const timer = setTimeout(() => this.#lanes.forEach((lane) => lane.giveUp()), patienceMs);
    await this.#running;
    clearTimeout(timer);
  }

  #count(status: number | undefined): void {
    const name = String(status ?? 'none');
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (status !== 200) return;
    const now = performance.now();
    this.longestOutageMs = Math.max(this.longestOutageMs, now - this.answeredAt);
    this.answeredAt = now;
  }
}
