/** Ingest in a process that answers HTTP: what takes messages, before it the spool, and the clock that both look at. */
import type { Registry } from 'prom-client';
import type { EventLog } from '../event-log/event-log.ts';
import { IngestSpool } from '../event-log/spool/ingest-spool.ts';
import type { SpoolingLogParts } from '../event-log/spool/spooling-log.ts';
import type { Readiness } from '../http/pages.ts';
import type { RouteSet } from '../http/route.ts';
import { Ingestor } from '../ingest/ingestor.ts';
import { IngestClock } from '../ingest/ingest-clock.ts';
import { newestArrivalMs } from '../ingest/newest-arrival.ts';
import { publicRoutes } from '../ingest/public-api.ts';
import { RefusalCounts } from '../ingest/refusal-counts.ts';
import { Strangers } from '../ingest/strangers.ts';
import { twoStepRoutes } from '../ingest/two-step.ts';
import type { Codec } from '../messages/codec.ts';
import type { Config } from '../runtime/config.ts';
import type { Logger } from '../runtime/logger.ts';
import { encoderModuleOf } from '../ingest/offload.ts';
import { isServer } from '../runtime/embedded.ts';
import type { Stores } from './stores.ts';

export interface IngestSideParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly log: EventLog;
  /** The same as it is appended to. */
  readonly guard: Pick<EventLog, 'append' | 'check' | 'openEncoder'>;
  readonly codec: Pick<Codec, 'encode' | 'schemaIds' | 'decode' | 'prepare'>;
  readonly registry: Registry;
  readonly stores: Pick<Stores, 'refusals'>;
}

export class IngestSide {
  /** What was refused. */
  readonly refusals: RefusalCounts;
  readonly strangers: Strangers;
  readonly #ingestor: Ingestor;
  /** Undefined where the configuration names none. */
  readonly #spool: IngestSpool | undefined;
  readonly #twoStepBase: string;

  private constructor({ config, stores, logger }: IngestSideParts, ingestor: Ingestor, spool: IngestSpool | undefined) {
    this.refusals = new RefusalCounts(stores.refusals, logger);
    this.strangers = new Strangers({ counts: this.refusals, logger });
    this.#ingestor = ingestor;
    this.#spool = spool;
    this.#twoStepBase = config.legacyBasePath;
  }

  /** @throws TidemarkError as `IngestSpool.open`. */
  static async open(parts: IngestSideParts): Promise<IngestSide> {
    const { config, logger, guard, codec, registry } = parts;
    const { maxClockSkewMs: maxSkewMs, clockTrustAfterMs: trustAfterMs } = config;
    const isLogOurs = !isServer(config.eventLogUrl);
    const clock = new IngestClock({ maxSkewMs, trustAfterMs, isLogOurs, logger });
    const comparing = compareWithLog(parts, clock);
    // A log on a server may be unreachable for long, and tells its time with every append.
    if (isLogOurs) await comparing;
    const spool = await openSpool(parts, clock);
    const ingestor = new Ingestor({
      log: spool?.log ?? guard,
      codec,
      clock,
      maxUnacknowledgedBytes: config.maxUnacknowledgedBytes,
      encoder: encoderModuleOf(config),
      registry,
      logger,
    });
    return new IngestSide(parts, ingestor, spool);
  }

  get routes(): readonly RouteSet[] {
    const twoStepBase = this.#twoStepBase;
    return [
      { routes: publicRoutes(this.#ingestor, this.refusals) },
      { routes: twoStepRoutes(this.#ingestor, twoStepBase), twoStepBase },
    ];
  }

  get isClockSkewed(): boolean {
    return this.#ingestor.state === 'clock skewed';
  }

  /** As `AppendWaits.look`. */
  lookAtWaits(): number {
    return this.#ingestor.lookAtWaits();
  }

  /** Messages since the process began. */
  get counters(): Readonly<Record<'accepted' | 'refused' | 'strangers', number>> {
    const { acceptedMessages: accepted } = this.#ingestor;
    return { accepted, refused: this.refusals.total, strangers: this.strangers.total };
  }

  /** From now on the log makes records itself where it can. Does not wait for that. */
  start(): void {
    this.refusals.start();
    void this.#ingestor.openOffload();
  }

  /**
   * Whether messages can be taken: ingest needs the log, or a spool, and a good clock. The other parts may be in any
   * state; the answer only names it.
   *
   * @param others The states of the other parts, the event log's among them.
   */
  readinessWith(others: Readonly<Record<string, string>>): Readiness {
    const { state } = this.#ingestor;
    const { eventLog } = others;
    const spool = this.#spool;
    const canAppend = eventLog === 'ready' || (eventLog === 'away' && spool?.isUsable === true);
    const parts = { ingest: state, ...others, ...(spool === undefined ? {} : { spool: spool.state }) };
    return { ready: state === 'ready' && canAppend, parts };
  }

  async stop(): Promise<void> {
    this.#ingestor.close();
    this.strangers.stop();
    await Promise.all([this.#spool?.close(), this.refusals.stop()]);
  }
}

/** Never rejects: a log that cannot be read now is compared with at the first append. */
async function compareWithLog({ log, codec, logger }: IngestSideParts, clock: IngestClock): Promise<void> {
  try {
    const newestMs = await newestArrivalMs(log, codec);
    if (newestMs !== undefined) clock.compareWith(newestMs);
  } catch (error) {
    logger.debug({ err: error }, 'the clock cannot be compared with the newest message of the log');
  }
}

async function openSpool(
  { config, logger, guard: log, registry }: IngestSideParts,
  clock: IngestClock,
): Promise<IngestSpool | undefined> {
  const { spoolDir: dir, spoolMaxBytes: maxBytes } = config;
  if (dir === undefined) return undefined;
  const hooks: Pick<SpoolingLogParts, 'mayWait' | 'onForwarded'> = {
    mayWait: () => !clock.hasJumped,
    onForwarded: ([first], sentAtMs) => void (first !== undefined && clock.agrees(first.appendedAtMs, sentAtMs)),
  };
  return IngestSpool.open({ dir, maxBytes, log, logger, registry, ...hooks });
}
