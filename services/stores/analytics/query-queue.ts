import { TidemarkError } from '../../runtime/errors.ts';

export interface QueryQueueOptions {
  /** Questions under way, in all and of one project. */
  readonly atOnce: number;
  readonly perProject: number;
  /** Questions that wait, in all and of one project. */
  readonly waiting: number;
  readonly waitingPerProject: number;
  readonly maxWaitMs: number;
}

/** What a queue holds, wherever questions are asked. */
const GATE = { waiting: 256, waitingPerProject: 64, maxWaitMs: 30_000 } as const;

interface Waiter {
  readonly projectId: string;
  readonly enter: () => void;
  readonly refuse: (error: TidemarkError) => void;
}

/**
 * Limits the questions that run at once, and keeps one project from taking all of them: a project's questions beyond its
 * share wait for one another while those of others pass, and projects that wait take turns, however many questions each has
 * waiting. The queue is bounded: past it, or past the time that a question may wait, it is refused; a question of a project
 * that has none takes the place of one of whoever has most waiting.
 */
export class QueryQueue {
  readonly #options: QueryQueueOptions;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  /** In which turn a project's next question is, where that is later than this one (start-time fair queueing). */
  readonly #nextTurns = new Map<string, number>();
  #turn = 0;
  #atOnce = 0;

  constructor(options: QueryQueueOptions) {
    this.#options = options;
  }

  /**
   * Resolves, when it is this question's turn, with what gives its place back. That may be called twice.
   *
   * @throws TidemarkError `TOO_MANY_QUESTIONS`, retryable; `STOPPING` once `signal` is aborted.
   */
  async enter(projectId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#hasRoom(projectId)) this.#take(projectId);
    else await this.#wait(projectId, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(projectId);
    };
  }

  /** Runs `task` when it is its turn. @throws as `enter`, and what the task throws. */
  async run<T>(projectId: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const leave = await this.enter(projectId, signal);
    try {
      return await task();
    } finally {
      leave();
    }
  }

  #hasRoom(projectId: string): boolean {
    const { atOnce, perProject } = this.#options;
    return this.#atOnce < atOnce && this.#runningOf(projectId) < perProject;
  }

  #take(projectId: string): void {
    this.#atOnce++;
    this.#running.set(projectId, this.#runningOf(projectId) + 1);
    this.#noteTurn(projectId);
  }

  /** A project has one question in each turn: its second waits until every other that waits has had its first. */
  #noteTurn(projectId: string): void {
    const turn = this.#turnOf(projectId);
    this.#nextTurns.set(projectId, turn + 1);
    if (turn === this.#turn) return;
    this.#turn = turn;
    for (const [id, next] of this.#nextTurns) if (next <= turn) this.#nextTurns.delete(id);
  }

  #turnOf(projectId: string): number {
    return this.#nextTurns.get(projectId) ?? this.#turn;
  }

  #runningOf(projectId: string): number {
    return this.#running.get(projectId) ?? 0;
  }

  async #wait(projectId: string, signal: AbortSignal): Promise<void> {
    const { waiting, waitingPerProject, maxWaitMs } = this.#options;
    const ofProject = this.#waiting.filter((one) => one.projectId === projectId).length;
    const isFull = this.#waiting.length >= waiting;
    const hasNone = ofProject === 0 && this.#runningOf(projectId) === 0;
    if (ofProject >= waitingPerProject || (isFull && !(hasNone && this.#makeRoom()))) throw tooMany(TOO_MANY_WAIT);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const refuse = (error: TidemarkError): void => {
      const place = this.#waiting.indexOf(waiter);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
      reject(error);
    };
    const waiter: Waiter = { projectId, enter: resolve, refuse };
    const stop = (): void => refuse(new TidemarkError('STOPPING', 'analytics is being closed'));
    const timer = setTimeout(() => refuse(tooMany(`no turn came in ${maxWaitMs} ms`)), maxWaitMs);
    signal.addEventListener('abort', stop, { once: true });
    this.#waiting.push(waiter);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Refuses the newest of whoever has most waiting; false where nobody has two. */
  #makeRoom(): boolean {
    const byProject = [...Map.groupBy(this.#waiting, ({ projectId }) => projectId).values()];
    const most = byProject.reduce((one, other) => (other.length > one.length ? other : one));
    if (most.length > 1) most.at(-1)?.refuse(tooMany(TOO_MANY_WAIT));
    return most.length > 1;
  }

  #leave(projectId: string): void {
    this.#atOnce--;
    const others = this.#runningOf(projectId) - 1;
    if (others > 0) this.#running.set(projectId, others);
    else this.#running.delete(projectId);
    this.#letIn();
  }

  /** The places are taken for them at once, so that no newcomer gets in between. */
  #letIn(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#take(next.projectId);
      next.enter();
    }
  }

  /** The waiter whose project's turn it is, among those that may run; the one that has waited longest, of several. */
  #next(): Waiter | undefined {
    let first: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (!this.#hasRoom(waiter.projectId)) continue;
      if (first === undefined || this.#turnOf(waiter.projectId) < this.#turnOf(first.projectId)) first = waiter;
    }
    return first;
  }
}

/** Half of the places are the most that one project has, where there is more than one. */
export function fairGate(atOnce: number): QueryQueue {
  return new QueryQueue({ ...GATE, atOnce, perProject: Math.max(1, Math.floor(atOnce / 2)) });
}

const TOO_MANY_WAIT = 'too many questions wait';

function tooMany(why: string): TidemarkError {
  return new TidemarkError('TOO_MANY_QUESTIONS', `${why}: ask again later`);
}
