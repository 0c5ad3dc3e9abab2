import type { Registry } from 'prom-client';
import { hasCode } from '../../runtime/errors.ts';
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
  /** How often the spools of processes that have ended are looked for. */
  readonly recoverEveryMs?: number;
}

interface IngestSpoolParts {
  readonly lock: FolderLock;
  readonly spool: Spool;
  readonly log: SpoolingLog;
  readonly recovery: OrphanRecovery;
}

/** The spool of one ingest process: its own folder, the log behind it, and the recovery of orphaned spools. */
export class IngestSpool {
  /** What ingest appends to. */
  readonly log: SpoolingLog;
  readonly #parts: IngestSpoolParts;
  #closing: Promise<void> | undefined;

  private constructor(parts: IngestSpoolParts) {
    this.#parts = parts;
    this.log = parts.log;
  }

  /** @throws TidemarkError `SPOOL_FOREIGN`; `CONFIG_INVALID` where the folder cannot be used. */
  static async open(options: IngestSpoolOptions): Promise<IngestSpool> {
    const { dir, maxBytes, segmentBytes, registry, recoverEveryMs, log, logger } = options;
    const { path, lock } = await takeFolder(dir);
    try {
      const spool = await Spool.open({
        folder: path,
        maxBytes,
        ...(segmentBytes === undefined ? {} : { segmentBytes }),
      });
      const timing = recoverEveryMs === undefined ? {} : { everyMs: recoverEveryMs };
      const recovery = new OrphanRecovery({ dir, own: path, log, logger, ...timing });
      const parts: IngestSpoolParts = { lock, spool, log: new SpoolingLog({ ...options, spool }), recovery };
      registerSpoolMetrics(registry, () => figuresOf(parts));
      return new IngestSpool(parts);
    } catch (error) {
      if (!hasCode(error, 'LOG_DAMAGED')) {
        lock.release();
        throw error;
      }
      // It keeps the lock, so that nobody tries again until the next start.
      logger.error({ err: error, path }, 'a spool is damaged: it is left as it is, and another folder taken');
      return IngestSpool.open(options);
    }
  }

  /** Its state in `/readyz`. */
  get state(): SpoolState {
    return this.#parts.spool.state;
  }

  /** Whether messages can be accepted while the log is unreachable. */
  get isUsable(): boolean {
    return this.state === 'empty' || this.state === 'waiting';
  }

  /** What waits stays on disk. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { lock, spool, log, recovery } = this.#parts;
    await Promise.all([recovery.stop(), log.close()]);
    await spool.close();
    lock.release();
  }
}

function figuresOf({ spool, log, recovery }: IngestSpoolParts): SpoolFigures {
  const orphan = recovery.current;
  const oldest = Math.min(spool.oldestAtMs ?? Infinity, orphan?.oldestAtMs ?? Infinity);
  return {
    messages: spool.messages + (orphan?.messages ?? 0),
    bytes: spool.bytes + (orphan?.bytes ?? 0),
    oldestAtMs: oldest === Infinity ? undefined : oldest,
    spooled: spool.spooled,
    forwarded: log.forwarder.forwarded + recovery.forwarded,
    refusals: spool.refusals,
    failures: spool.failures,
    quarantined: log.forwarder.quarantined + recovery.quarantined,
  };
}
