import type { Refusal } from './problems.ts';

/**
 * Bounds the bytes of bodies that are being received, in all and per project: those that have arrived of bodies that are
 * not whole yet. A project gets half of them at most. A whole body is not counted: its request is being answered.
 */
export class ReceivingBytes {
  readonly #limit: number;
  readonly #heldByProject = new Map<string, number>();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Now. */
  get held(): number {
    return this.#held;
  }

  /** For one body of this project. */
  open(projectId: string): BodyBytes {
    return new BodyBytes(this, projectId);
  }

  /** Takes so many more, or gives them back; false, and nothing taken, where that would be too much. */
  take(projectId: string, more: number): boolean {
    const ofProject = (this.#heldByProject.get(projectId) ?? 0) + more;
    if (more > 0 && (this.#held + more > this.#limit || ofProject > this.#limit / 2)) return false;
    this.#held += more;
    if (ofProject === 0) this.#heldByProject.delete(projectId);
    else this.#heldByProject.set(projectId, ofProject);
    return true;
  }
}

/** What one body holds of them. */
export class BodyBytes {
  readonly #all: ReceivingBytes;
  readonly #projectId: string;
  #held = 0;

  constructor(all: ReceivingBytes, projectId: string) {
    this.#all = all;
    this.#projectId = projectId;
  }

  /** From now on it holds so many; false, and as many as before, where that would be too much. */
  hold(bytes: number): boolean {
    if (bytes !== this.#held && !this.#all.take(this.#projectId, bytes - this.#held)) return false;
    this.#held = bytes;
    return true;
  }
}

export const TOO_MUCH_RECEIVED: Refusal = {
  refused: 'overloaded',
  detail: 'As many bytes of bodies as this process may hold are being received. Send the same request again later.',
};
