import type { EventLog } from '../event-log.ts';
import type { Logger } from '../../runtime/logger.ts';
import { foldersWithContent, lockIfFree } from './folders.ts';
import { Forwarder } from './forwarder.ts';
import { Spool } from './spool.ts';

export interface OrphanRecoveryParts {
  readonly dir: string;
  /** The folder of this process, which is not for adoption. */
  readonly own: string;
  readonly log: Pick<EventLog, 'append'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly everyMs?: number;
}

const SCAN_EVERY_MS = 5_000;

/** Forwards what processes that are gone have left in their folders, one folder after the other. */
export class OrphanRecovery {
  readonly #parts: OrphanRecoveryParts;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Folders whose trouble has been told. They are looked at again all the same: it may pass. */
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
      if (!this.#logged.has(dir))
        logger.error({ err: error }, 'cannot look for what processes have left in their spools');
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
        const spool = (this.#spool = await Spool.open({ folder: path, maxBytes: 0 }));
        const forwarder = (this.#forwarder = new Forwarder({ spool, log, logger, signal }));
        logger.warn({ path, messages: spool.messages }, 'forwarding what a process that is gone has left in its spool');
        await forwarder.drain();
        logger.info({ path, messages: forwarder.forwarded }, 'the event log has what that process had left');
      } finally {
        this.#forwardedBefore = this.forwarded;
        this.#quarantinedBefore = this.quarantined;
        this.#spool = this.#forwarder = undefined;
        lock.release();
      }
    } catch (error) {
      if (signal.aborted || this.#logged.has(path)) return;
      this.#logged.add(path);
      logger.error({ err: error, path }, 'what a process that is gone has left in its spool cannot be forwarded');
    }
  }
}
