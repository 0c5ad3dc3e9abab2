import type { EventLog } from '../event-log.ts';
import type { Logger } from '../../runtime/logger.ts';
import { foldersWithContent, lockIfFree } from './folders.ts';
import { Forwarder } from './forwarder.ts';
import { Spool } from './spool.ts';

export interface OrphanRecoveryParts {
  readonly dir: string;
  /** The folder of this process, which is left out. */
  readonly own: string;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly everyMs?: number;
}

const SCAN_EVERY_MS = 5_000;

/** Forwards what processes that have ended left in their folders, one folder after the other. */
export class OrphanRecovery {
  readonly #parts: OrphanRecoveryParts;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Folders whose failure was logged. They are tried again, as it may be temporary. */
  readonly #logged = new Set<string>();
  #looking: Promise<void> | undefined;
  #spool: Spool | undefined;
  #forwarder: Forwarder | undefined;
  #forwardedBefore = 0;
  #quarantinedBefore = 0;

  constructor(parts: OrphanRecoveryParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#startLooking(), parts.everyMs ?? SCAN_EVERY_MS).unref();
    this.#startLooking();
  }

  /** The spool that is being forwarded now. */
  get current(): Pick<Spool, 'messages' | 'bytes' | 'oldestAtMs'> | undefined {
    return this.#spool;
  }

  get forwarded(): number {
    return this.#forwardedBefore + (this.#forwarder?.forwarded ?? 0);
  }

  get quarantined(): number {
    return this.#quarantinedBefore + (this.#forwarder?.quarantined ?? 0);
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
  }

  #startLooking(): void {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { dir, own, logger } = this.#parts;
    try {
      for (const path of await foldersWithContent(dir, own)) {
        if (this.#stopping.signal.aborted) return;
        await this.#recover(path);
      }
    } catch (error) {
      if (!this.#logged.has(dir)) logger.error({ err: error }, 'cannot list the spools of other processes');
      this.#logged.add(dir);
    }
  }

  async #recover(path: string): Promise<void> {
    const { log, logger } = this.#parts;
    const { signal } = this.#stopping;
    try {
      const lock = lockIfFree(path);
      if (lock === undefined) return;
      try {
        const spool = (this.#spool = await Spool.open({ folder: path, maxBytes: Infinity }));
        const forwarder = (this.#forwarder = new Forwarder({ spool, log, logger, signal }));
        logger.warn({ path, messages: spool.messages }, 'forwarding the spool of a process that has ended');
        await forwarder.drain();
        logger.info({ path, messages: forwarder.forwarded }, 'all messages of that spool are in the event log');
      } finally {
        this.#forwardedBefore = this.forwarded;
        this.#quarantinedBefore = this.quarantined;
        await this.#spool?.close().catch(() => undefined);
        this.#spool = this.#forwarder = undefined;
        lock.release();
      }
    } catch (error) {
      if (signal.aborted || this.#logged.has(path)) return;
      this.#logged.add(path);
      logger.error({ err: error, path }, 'the spool of a process that has ended cannot be forwarded');
    }
  }
}
