import type { Logger } from '../../runtime/logger.ts';
import { Looking } from '../../runtime/looking.ts';
import type { Inserted } from './followed.ts';
import type { SqlTouches } from './sql-touches.ts';

export interface TouchReaderParts {
  readonly touches: Pick<SqlTouches, 'read' | 'drop'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly live: {
    /** 0 while another process is to read them. */
    readonly epoch: bigint;
    /** Whether anybody waits for them: then they are read often. */
    readonly isFollowing: boolean;
    inserted(generation: number, users: Inserted): void;
  };
}

const READ_EVERY_MS = 100;

/** Tells live audiences what the sinks of all processes insert. An insert may be told again. */
export class TouchReader {
  readonly #parts: TouchReaderParts;
  readonly #looking: Looking;

  constructor(parts: TouchReaderParts) {
    this.#parts = parts;
    const cannot = 'it cannot be read what sinks have inserted for live audiences';
    this.#looking = new Looking({
      look: async () => parts.live.isFollowing && this.read(),
      everyMs: READ_EVERY_MS,
      cannot,
      logger: parts.logger,
    });
  }

  start(): void {
    this.#looking.start();
  }

  /** Idempotent. */
  stop(): Promise<void> {
    return this.#looking.stop();
  }

  /** Tells some of what is noted. Returns whether there may be more. */
  async read(): Promise<boolean> {
    const { touches, live } = this.#parts;
    const { epoch } = live;
    if (epoch === 0n) return false;
    const noted = await touches.read();
    if (noted.length === 0) return false;
    for (const { generation, users } of noted) live.inserted(generation, users);
    await touches.drop(
      noted.map(({ id }) => id),
      epoch,
    );
    return true;
  }
}
