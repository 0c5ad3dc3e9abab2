import { TidemarkError } from '../runtime/errors.ts';

export interface GateOptions {
  /** Questions under way, in all and of one project. */
  readonly atOnce: number;
  readonly perProject: number;
  /** Questions that wait, in all and of one project. */
  readonly waiting: number;
  readonly waitingPerProject: number;
  readonly maxWaitMs: number;
}

/** What a queue holds, wherever questions are asked. */
export const GATE = { waiting: 256, waitingPerProject: 64, maxWaitMs: 30_000 } as const;

interface Waiter {
  readonly projectId: string;
  readonly enter: () => void;
}

/**
 * Lets so many questions at a store, and keeps one project from having all the places: a project's questions beyond its
 * share wait for one another while those of others pass. The queue is bounded: past it, or past the time that a question
 * may wait, it is refused.
 */
export class QuestionGate {
  readonly #options: GateOptions;
  readonly #running = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #atOnce = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Resolves, when it is this question's turn, with what gives its place back. That may be called twice.
   *
   * @throws TidemarkError `TOO_MANY_QUESTIONS`, retryable; `STOPPING` once `signal` is aborted.
   */
  async enter(projectId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#hasPlace(projectId)) this.#take(projectId);
    else await this.#wait(projectId, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#leave(projectId);
    };
  }

  #hasPlace(projectId: string): boolean {
    const { atOnce, perProject } = this.#options;
    return this.#atOnce < atOnce && this.#runningOf(projectId) < perProject;
  }

  #take(projectId: string): void {
    this.#atOnce++;
    this.#running.set(projectId, this.#runningOf(projectId) + 1);
  }

  #runningOf(projectId: string): number {
    return this.#running.get(projectId) ?? 0;
  }

  async #wait(projectId: string, signal: AbortSignal): Promise<void> {
    const { waiting, waitingPerProject, maxWaitMs } = this.#options;
    const ofProject = this.#waiting.filter((one) => one.projectId === projectId).length;
    if (this.#waiting.length >= waiting || ofProject >= waitingPerProject) throw tooMany('too many questions wait');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { projectId, enter: resolve };
    const refuse = (error: TidemarkError): void => {
      const place = this.#waiting.indexOf(waiter);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
      reject(error);
    };
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

  #leave(projectId: string): void {
    this.#atOnce--;
    const others = this.#runningOf(projectId) - 1;
    if (others > 0) this.#running.set(projectId, others);
    else this.#running.delete(projectId);
    this.#letIn();
  }

  /** Whoever has waited longest of those who may; taken for them at once, so that no newcomer gets in between. */
  #letIn(): void {
    for (let next = this.#next(); next !== -1; next = this.#next()) {
      const [waiter] = this.#waiting.splice(next, 1);
      if (waiter === undefined) return;
      this.#take(waiter.projectId);
      waiter.enter();
    }
  }

  #next(): number {
    return this.#waiting.findIndex(({ projectId }) => this.#hasPlace(projectId));
  }
}

function tooMany(why: string): TidemarkError {
  return new TidemarkError('TOO_MANY_QUESTIONS', `${why}: ask again later`);
}
