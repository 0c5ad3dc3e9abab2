import type { Call } from './call.ts';
import type { Refusal } from './problems.ts';
import { canEnd, endAnswer } from './send.ts';

/**
 * Bounds how many requests are open at once, in all and per project, from their admission until their answer has left or
 * the client is gone: what one of them may hold in memory is held that many times at most, however many ask, and however
 * slowly they read. A project gets half of the places at most. Where several have taken them all, a project that has none
 * gets one of whoever has most: that answer is ended.
 */
export class ConcurrencyLimiter {
  readonly #limit: number;
  readonly #limitPerProject: number;
  readonly #openByProject = new Map<string, Set<Call>>();
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
    this.#limitPerProject = Math.ceil(limit / 2);
  }

  /** For a route's `admitWhole`. */
  admit(call: Call): Refusal | undefined {
    const id = ownerOf(call);
    const own = this.#openByProject.get(id) ?? new Set();
    if (own.size >= this.#limitPerProject) return OVERLOADED;
    if (this.#open >= this.#limit && (own.size > 0 || !this.#makeRoom())) return OVERLOADED;
    // Its client has left already, and 'close' will not be emitted again.
    if (call.res.closed) return undefined;
    this.#open++;
    this.#openByProject.set(id, own.add(call));
    call.res.once('close', () => this.#leave(call));
    return undefined;
  }

  /** Ends the newest answer of whoever has most. False where nobody has two. */
  #makeRoom(): boolean {
    const most = [...this.#openByProject.values()].reduce((one, other) => (other.size > one.size ? other : one));
    const newest = most.size < 2 ? undefined : [...most].findLast(canEnd);
    if (newest === undefined) return false;
    this.#leave(newest);
    endAnswer(newest, OVERLOADED);
    return true;
  }

  #leave(call: Call): void {
    const id = ownerOf(call);
    const own = this.#openByProject.get(id);
    if (own?.delete(call) !== true) return;
    this.#open--;
    if (own.size === 0) this.#openByProject.delete(id);
  }
}

/** Its project; the installation counts as one more. */
function ownerOf(call: Call): string {
  return call.projectId ?? '';
}

const OVERLOADED: Refusal = {
  refused: 'overloaded',
  detail: 'As many requests of this kind as this process may hold are being answered. Send it again later.',
};
