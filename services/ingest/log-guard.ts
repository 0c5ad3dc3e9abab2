import type { Appended, AppendEncoded, EventLog, NewRecord, Position } from '../event-log/event-log.ts';
import { identityOf } from '../event-log/identity.ts';
import { nameOf } from '../event-log/partition.ts';
import { replaced } from '../event-log/refusals.ts';
import { MESSAGE_TOPICS } from '../messages/message.ts';
import { hasCode, isRetryable, TidemarkError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { LiveGenerations } from '../stores/generations/live-generations.ts';

export interface LogGuardParts {
  readonly log: Pick<EventLog, 'append' | 'beginnings' | 'check' | 'ends' | 'openEncoder' | 'scan'>;
  readonly progress: Pick<LiveGenerations, 'progress'>;
  readonly logger: Pick<Logger, 'error'>;
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;

/**
 * The log as ingest appends to it: not to one that lacks what readers have read, because it is a new one in the place of
 * one that was lost, and will be replaced by a backup. Nothing is appended before the log was compared with the positions
 * of the readers once; from then on the ends are, every five seconds.
 */
export class LogGuard {
  /** Undefined where the log has no such thread. */
  readonly openEncoder?: (module: URL) => Promise<AppendEncoded>;
  readonly #parts: LogGuardParts;
  #state: 'unknown' | 'ready' | TidemarkError = 'unknown';
  #looking: Promise<void> | undefined;
  #lookedAtMs = -Infinity;

  constructor(parts: LogGuardParts) {
    this.#parts = parts;
    const { log } = parts;
    if (log.openEncoder !== undefined) this.openEncoder = (module) => this.#openEncoder(log, module);
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE`, retryable, also where it is not the log that was read. */
  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    const append = () => this.#parts.log.append(records);
    return this.#state === 'ready' ? append() : this.#expectReady().then(append);
  }

  /** @throws TidemarkError `LOG_UNAVAILABLE`; `LOG_REPLACED`. */
  async check(): Promise<void> {
    await this.#parts.log.check();
    const looking = this.#look();
    // Afterwards nobody waits for the database of the positions.
    if (this.#state === 'unknown') await looking;
    if (this.#state instanceof TidemarkError) throw this.#state;
  }

  async #openEncoder(log: LogGuardParts['log'], module: URL): Promise<AppendEncoded> {
    const encode = await log.openEncoder?.(module);
    const append: AppendEncoded = (job) => encode?.(job) ?? Promise.resolve(null);
    return (job) => (this.#state === 'ready' ? append(job) : this.#expectReady().then(() => append(job)));
  }

  async #expectReady(): Promise<void> {
    await this.#look();
    if (this.#state === 'ready') return;
    throw new TidemarkError('LOG_UNAVAILABLE', 'the event log is not known to be the one that was read', {
      cause: this.#state,
    });
  }

  #look(): Promise<void> {
    const { everyMs = EVERY_MS } = this.#parts;
    if (this.#state !== 'unknown' && performance.now() - this.#lookedAtMs < everyMs) return Promise.resolve();
    this.#looking ??= this.#compare().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #compare(): Promise<void> {
    const { log, progress, logger } = this.#parts;
    try {
      // Before the ends: what is read is on the log.
      const { projector, sink } = await progress.progress();
      const positions = [...projector, ...sink].filter(({ offset }) => offset > 0n);
      const isKnown = this.#state === 'ready' && (await endsAfter(log, positions));
      if (!isKnown) await checkIdentities(log, positions);
      this.#state = 'ready';
    } catch (error) {
      if (isRetryable(error)) return;
      const isReplaced = hasCode(error, 'LOG_REPLACED');
      if (isReplaced && !(this.#state instanceof TidemarkError))
        logger.error({ err: error }, 'the event log is not the one that was read: no message is accepted');
      this.#state = isReplaced ? error : 'ready';
    }
    this.#lookedAtMs = performance.now();
  }
}

function endsAfter(...args: Parameters<typeof checkEnds>): Promise<boolean> {
  return checkEnds(...args).then(
    () => true,
    () => false,
  );
}

/** @throws TidemarkError `LOG_REPLACED` where the log ends before a position. */
async function checkEnds(log: Pick<EventLog, 'ends'>, positions: readonly Position[]): Promise<void> {
  const ends = new Map((await log.ends(MESSAGE_TOPICS)).map((end) => [nameOf(end), end.offset]));
  for (const position of positions) {
    const end = ends.get(nameOf(position)) ?? 0n;
    if (position.offset > end) throw replaced(position, `the log ends at ${end}`);
  }
}

/** @throws TidemarkError `LOG_REPLACED` also where another record is before a position. Deleted ones cannot be compared. */
async function checkIdentities(log: LogGuardParts['log'], positions: readonly Position[]): Promise<void> {
  await checkEnds(log, positions);
  const beginnings = new Map((await log.beginnings(MESSAGE_TOPICS)).map((one) => [nameOf(one), one.offset]));
  const compared = new Map(
    positions
      .filter((position) => position.offset > (beginnings.get(nameOf(position)) ?? 0n))
      .map((position) => [nameOf(position), position]),
  );
  const ranges = [...compared.values()].map(({ topic, partition, offset: to }) => ({
    topic,
    partition,
    from: to - 1n,
    to,
  }));
  if (ranges.length === 0) return;
  for await (const { records, ...at } of log.scan(ranges, { maxRecords: 1 })) {
    const position = compared.get(nameOf(at));
    const [record] = records;
    if (position !== undefined && record !== undefined && identityOf(record) !== position.identity)
      throw replaced(position, 'another record is before it');
  }
}
