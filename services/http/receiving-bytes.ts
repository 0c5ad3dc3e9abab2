import type { Refusal } from './problems.ts';

interface ReceivingProject {
  bytes: number;
  readonly bodies: Set<BodyBytes>;
}

/**
 * Bounds the bytes of bodies that are being received, in all and per project: those that have arrived of bodies that are
 * not whole yet. A project gets half of them at most. Where several hold them all, one that holds little gets those of a
 * body of whoever holds most, which is refused. A whole body is not counted: its request is being answered.
 */
export class ReceivingBytes {
  readonly #limit: number;
  readonly #projects = new Map<string, ReceivingProject>();
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

  /** Sets how many bytes the body holds. False, with nothing changed, if that would be too much. */
  change(body: BodyBytes, bytes: number): boolean {
    const { projectId, held } = body;
    const more = bytes - held;
    const project = this.#projects.get(projectId) ?? { bytes: 0, bodies: new Set() };
    if (more > 0 && (project.bytes + more > this.#limit / 2 || !this.#makeRoom(project.bytes + more, more)))
      return false;
    this.#held += more;
    project.bytes += more;
    if (bytes === 0) project.bodies.delete(body);
    else project.bodies.add(body);
    if (project.bytes === 0) this.#projects.delete(projectId);
    else this.#projects.set(projectId, project);
    return true;
  }

  /** @param ofProject Bytes that the project would hold then: others lose a body only to one that holds half as much. */
  #makeRoom(ofProject: number, more: number): boolean {
    while (this.#held + more > this.#limit) {
      const [most] = [...this.#projects.values()].toSorted((one, other) => other.bytes - one.bytes);
      const [largest] = [...(most?.bodies ?? [])].toSorted((one, other) => other.held - one.held);
      if (most === undefined || largest === undefined || most.bytes < 2 * ofProject) return false;
      largest.drop();
    }
    return true;
  }
}

/** What one body holds of them. */
export class BodyBytes {
  readonly projectId: string;
  readonly #all: ReceivingBytes;
  #held = 0;
  #onDropped: () => void = () => undefined;

  constructor(all: ReceivingBytes, projectId: string) {
    this.#all = all;
    this.projectId = projectId;
  }

  get held(): number {
    return this.#held;
  }

  /** Changes what it holds to `bytes`; returns false and changes nothing where that would be too much. */
  hold(bytes: number): boolean {
    if (bytes !== this.#held && !this.#all.change(this, bytes)) return false;
    this.#held = bytes;
    return true;
  }

  /** Called where what it holds is given to another: it is to be refused, and to hold nothing more. */
  whenDropped(onDropped: () => void): void {
    this.#onDropped = onDropped;
  }

  drop(): void {
    this.hold(0);
    this.#onDropped();
  }
}

export const TOO_MUCH_RECEIVED: Refusal = {
  refused: 'overloaded',
  detail: 'As many bytes of bodies as this process may hold are being received. Send the same request again later.',
};
