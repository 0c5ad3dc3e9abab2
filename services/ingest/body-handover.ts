import type { EventLog } from '../event-log/event-log.ts';
import type { AppendMaterial } from '../event-log/record-maker.ts';
import { receiptSignerOf } from '../http/receipt-signer.ts';
import { newMessageId } from '../messages/message-id.ts';
import type { ArrivalClock } from '../messages/version.ts';
import type { Project } from '../stores/projects/project-store.ts';
import { hasCode } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { DecayingMax } from '../runtime/decaying-max.ts';
import { BodyMaterial, type SharedByBodies } from './body-material.ts';
import type { PublicSource } from './public-body.ts';

export interface BodyHandoverParts {
  readonly log: Pick<EventLog, 'openMaker'>;
  readonly clock: ArrivalClock;
  readonly processBits: number;
  /** The module by which a log that can makes records of bodies itself. */
  readonly maker?: URL | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A body, named and dated, and the log that will make records of it. */
export interface HandedBody {
  readonly material: BodyMaterial;
  readonly append: AppendMaterial;
}

const OPENING_BRACE = '{'.charCodeAt(0);

// Of batches, which take longer to make than to receive, each of the two threads makes some: half of those that are open
// at once, a fifth to two thirds more of them a second. Of few, half would leave this thread to wait for the other one,
// which makes nothing while it waits for the disk; a quarter brings a fifth more too.
const MANY_OPEN = 16;

/**
 * Hands bodies to a log that makes records of them in its own thread, which leaves the thread that answers the time that
 * it takes to check, name, date and encode them.
 */
export class BodyHandover {
  readonly #parts: BodyHandoverParts;
  readonly #shared = new WeakMap<Project, Map<PublicSource, SharedByBodies>>();
  #append: AppendMaterial | undefined;
  readonly #openBatches = new DecayingMax();
  /** That are handed over now. */
  #batches = 0;

  constructor(parts: BodyHandoverParts) {
    this.#parts = parts;
  }

  /** Until this resolves, and for ever where the log has no such thread, none is handed over. Never rejects. */
  async open(): Promise<void> {
    const { log, maker, logger } = this.#parts;
    if (maker === undefined || log.openMaker === undefined) return;
    try {
      this.#append = await log.openMaker(maker);
    } catch (error) {
      if (hasCode(error, 'STOPPING')) return;
      logger.warn({ err: error }, 'the event log cannot make records itself: the thread that answers makes them');
    }
  }

  /** To be told whenever a batch comes. @param open How many there are with it, handed over or not. */
  seeBatches(open: number): void {
    this.#openBatches.see(open);
  }

  /** Undefined where the thread that answers has to make the records, or better does. */
  take(project: Project, source: PublicSource, body: Buffer): HandedBody | undefined {
    const append = this.#append;
    if (append === undefined) return undefined;
    if (source !== 'batch') return { append, material: this.#materialOf(project, source, body, 1) };
    if (this.#batches >= this.#batchesToHand) return undefined;
    const atMostMessages = countOf(body, OPENING_BRACE);
    return { append: this.#counting(append), material: this.#materialOf(project, source, body, atMostMessages) };
  }

  get #batchesToHand(): number {
    const open = Math.round(this.#openBatches.value);
    return Math.floor(open < MANY_OPEN ? open / 4 : open / 2);
  }

  #counting(append: AppendMaterial): AppendMaterial {
    return async (material) => {
      this.#batches++;
      try {
        return await append(material);
      } finally {
        this.#batches--;
      }
    };
  }

  #materialOf(project: Project, source: PublicSource, body: Buffer, atMostMessages: number): BodyMaterial {
    const receivedAt = this.#parts.clock.next(atMostMessages);
    return new BodyMaterial(this.#sharedBy(project, source), newMessageId(), receivedAt, body);
  }

  /** One object for all requests of a project, so that it goes over once for many. */
  #sharedBy(project: Project, source: PublicSource): SharedByBodies {
    let ofProject = this.#shared.get(project);
    if (ofProject === undefined) this.#shared.set(project, (ofProject = new Map<PublicSource, SharedByBodies>()));
    let shared = ofProject.get(source);
    if (shared === undefined) {
      const { id, timezone } = project;
      const { processBits } = this.#parts;
      shared = { project: { id, timezone }, source, processBits, signer: receiptSignerOf(project) };
      ofProject.set(source, shared);
    }
    return shared;
  }
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}
