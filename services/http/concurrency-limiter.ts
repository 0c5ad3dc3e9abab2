import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';

/**
 * Bounds how many requests are open at once, in all and per project, from their admission until their answer has left or
 * the client is gone: what one of them may hold in memory is held that many times at most, however many ask, and however
 * slowly they read. A project gets half of the places at most, so that no project can take them all.
 */
export class ConcurrencyLimiter {
  readonly #limit: number;
  readonly #limitPerProject: number;
  readonly #openByProject = new Map<string, number>();
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#limitPerProject = Math.ceil(limit / 2);
  }

  /** For a route's `admitWhole`. */
  admit({ res, project: { id } }: Pick<Call, 'res' | 'project'>): Refusal | undefined {
    const openOfProject = this.#openByProject.get(id) ?? 0;
    if (this.#open >= this.#limit || openOfProject >= this.#limitPerProject) return OVERLOADED;
    // Its client has left already, and 'close' will not be emitted again.
    if (res.closed) return undefined;
    this.#open++;
    this.#openByProject.set(id, openOfProject + 1);
    res.once('close', () => this.#leave(id));
    return undefined;
  }

  #leave(projectId: string): void {
    this.#open--;
    const others = (this.#openByProject.get(projectId) ?? 1) - 1;
    if (others === 0) this.#openByProject.delete(projectId);
    else this.#openByProject.set(projectId, others);
  }
}

const OVERLOADED: Refusal = {
  refused: 'overloaded',
  detail: 'As many requests of this kind as this process may hold are being answered. Send it again later.',
};
