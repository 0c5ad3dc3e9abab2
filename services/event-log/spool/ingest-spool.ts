import type { Registry } from 'prom-client';
import type { FolderLock } from '../../runtime/folder-lock.ts';
import { OrphanRecovery } from './orphan-recovery.ts';
import { takeFolder } from './folders.ts';
import { Spool, type SpoolState } from './spool.ts';
import { registerSpoolMetrics, type SpoolFigures } from './spool-metrics.ts';
import { SpoolingLog, type SpoolingLogParts } from './spooling-log.ts';

export interface IngestSpoolOptions extends Omit<SpoolingLogParts, 'spool'> {
  /** `SPOOL_DIR`. */
  readonly dir: string;
  readonly maxBytes: number;
  readonly segmentBytes?: number;
  readonly registry: Registry;
  /** How often folders are looked for that processes have left behind. */
  readonly adoptEveryMs?: number;
}

interface Parts {
  readonly lock: FolderLock;
  readonly spool: Spool;
  readonly log: SpoolingLog;
  readonly adopter: OrphanRecovery;
}

/** The spool of one ingest process: a folder of its own, the log through it, and what others have left. */
export class IngestSpool {
  /** What ingest appends to. */
  readonly log: SpoolingLog;
  readonly #parts: Parts;
  #closing: Promise<void> | undefined;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.log = parts.log;
  }

  /** @throws TidemarkError `SPOOL_FOREIGN`; `CONFIG_INVALID` where the folder cannot be used. */
  static async open(options: IngestSpoolOptions): Promise<IngestSpool> {
    const { dir, maxBytes, segmentBytes, registry, adoptEveryMs, log, logger } = options;
    const { path, lock } = await takeFolder(dir);
    try {
      const spool = await Spool.open({
        folder: path,
        maxBytes,
        ...(segmentBytes === undefined ? {} : { segmentBytes }),
      });
      const adopting = adoptEveryMs === undefined ? {} : { everyMs: adoptEveryMs };
      const adopter = new OrphanRecovery({ dir, own: path, log, logger, ...adopting });
      const parts: Parts = { lock, spool, log: new SpoolingLog({ ...options, spool }), adopter };
      registerSpoolMetrics(registry, () => figuresOf(parts));
      return new IngestSpool(parts);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** What `/readyz` says of it. */
  get state(): SpoolState {
    return this.#parts.spool.state;
  }

  /** Whether messages can be taken while the log is away. */
  get isUsable(): boolean {
    return this.state === 'empty' || this.state === 'waiting';
  }

  /** What waits stays on disk. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { lock, spool, log, adopter } = this.#parts;
    await Promise.all([adopter.stop(), log.close()]);
    await spool.close();
    lock.release();
  }
}

function figuresOf({ spool, log, adopter }: Parts): SpoolFigures {
  const { adopted } = adopter;
  const oldest = Math.min(spool.oldestAtMs ?? Infinity, adopted?.oldestAtMs ?? Infinity);
  return {
    messages: spool.messages + (adopted?.messages ?? 0),
    bytes: spool.bytes + (adopted?.bytes ?? 0),
    oldestAtMs: oldest === Infinity ? undefined : oldest,
    spooled: spool.taken,
    forwarded: log.forwarder.forwarded + adopter.forwarded,
    refusals: spool.refusals,
    failures: spool.failures,
    quarantined: log.forwarder.quarantined + adopter.quarantined,
  };
}
