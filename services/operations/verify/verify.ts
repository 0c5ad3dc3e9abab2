import type { Unprocessable } from '../../consumers/dead-letters.ts';
import type { EventLog, ScanRange } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import { MESSAGE_TOPICS } from '../../messages/message.ts';
import type { Progress } from '../../runtime/command.ts';
import type { AnalyticsReader } from '../../stores/analytics/analytics-store.ts';
import type { Database } from '../../stores/database/database.ts';
import { type StoredCell, storedCells, type StoredPeriod } from './analytics-rows.ts';
import { checkedIn, checkedUpTo, type Checkpoints, readCheckpoints } from './checkpoints.ts';
import { type ComparedCell, compareRecord, differsInClickHouse, differsInPostgres, spansOf } from './compare.ts';
import { DeadLetterCoordinates, type DeadLetterStores } from './dead-letter-coordinates.ts';
import { ForgottenMessages } from './forgotten-messages.ts';
import { LogCells } from './log-cells.ts';
import { deletedFromLog, groupByLog, messageRanges } from './log-ranges.ts';
import { findMissingEffects } from './missing-effects.ts';
import { findMissingRows } from './missing-rows.ts';
import { instantsOf, type Period } from './period.ts';
import { checkProfiles } from './profile-check.ts';
import type { Finding, VerificationReport } from '../../../schemas/verification-report.ts';
import {
  countFaults,
  Findings,
  firstInstantOf,
  hoursOf,
  MAX_NAMED,
  type RowFault,
  UNKNOWN_MESSAGE,
  unknownBefore,
} from './report.ts';
import { scanMessages } from './scan-messages.ts';

export interface VerifyStores {
  readonly log: Pick<EventLog, 'scan' | 'beginnings' | 'ends'>;
  /** As the generation of analytics takes messages. */
  readonly codec: Codec;
  /** As that of profiles does; the same by default. */
  readonly profilesCodec?: Codec;
  /** The database as seen from the schemas of the generations of profiles and of analytics. */
  readonly profiles: Database;
  readonly plans: Database;
  readonly analytics: AnalyticsReader;
  readonly generations: DeadLetterStores['generations'];
  /** The projects that the database has. All that have messages by default. */
  readonly knownProjects?: () => Promise<ReadonlySet<string>>;
}

export interface VerifyOptions {
  /** Whether to compare every profile by content. For this it reads the whole log once for every 20,000 users. */
  readonly deep?: boolean;
  readonly repeatWindowMs: number;
  readonly signal?: AbortSignal;
  readonly report?: (progress: Progress) => void;
  /** Called after each piece of the log with the time that it took. */
  readonly rest?: (workedMs: number) => Promise<void>;
}

// The clocks of machines differ, and the log may use another clock than the ingest process.
const CLOCK_MARGIN_MS = 3_600_000;

/** A verification begins again where somebody is forgotten, or a project deleted, meanwhile. */
const MOST_RUNS = 3;

/**
 * Compares the log with Postgres and ClickHouse, by project and hour of arrival. It changes nothing, and the readers
 * may run meanwhile: messages that they had not passed when it began are not faults.
 *
 * @throws TidemarkError the errors of the stores.
 */
export async function verify(
  stores: VerifyStores,
  period: Period,
  options: VerifyOptions,
): Promise<VerificationReport> {
  for (let run = 1; ; run++) {
    const forgotten = await ForgottenMessages.read(stores.profiles);
    const report = await new Verification(stores, period, options, forgotten).run();
    // Stores need no longer have the messages of somebody who was forgotten meanwhile.
    const isFine = report.equal && report.unknown_projects.messages === 0;
    if (isFine || run === MOST_RUNS || !(await forgotten.hasChanged())) return report;
  }
}

class Verification {
  readonly #stores: VerifyStores;
  readonly #period: Period;
  readonly #options: VerifyOptions;
  readonly #missing = { postgres: new Findings(), clickhouse: new Findings() };
  readonly #surplusRows = new Findings();
  readonly #forgotten: ForgottenMessages;
  #undecodable = 0;
  #skipped = 0;
  #notKept = 0;
  #notCompared = 0;
  #deletedFromLog: VerificationReport['deleted_from_log'] = { records: 0, partitions: {} };
  #read = 0;

  constructor(stores: VerifyStores, period: Period, options: VerifyOptions, forgotten: ForgottenMessages) {
    this.#stores = stores;
    this.#period = period;
    this.#options = options;
    this.#forgotten = forgotten;
  }

  async run(): Promise<VerificationReport> {
    const startedMs = performance.now();
    const { profiles: database, plans } = this.#stores;
    // Checkpoints are read first: everything beyond them counts as not yet read, however far the readers get meanwhile.
    const checkpoints = await readCheckpoints(database, plans, this.#period);
    const deadLettered = await DeadLetterCoordinates.read(this.#stores);
    const counted = new LogCells(checkpoints, deadLettered, this.#period, this.#forgotten);
    await this.#scan(counted, checkpoints, deadLettered);
    await this.#forgotten.countIn(counted, this.#period);
    this.#notKept = counted.notKept;
    this.#deletedFromLog = await deletedFromLog(this.#stores.log);
    const all = await this.#comparable(
      compareRecord(counted.cells, checkpoints.applied, await this.#storedCells(checkpoints)),
    );
    const { skipped = [], cells = [] } = Object.groupBy(all, ({ log }) =>
      this.#forgotten.isDeleted(log.projectId) ? 'skipped' : 'cells',
    );
    this.#skipped = messagesOf(skipped);
    const known = await this.#stores.knownProjects?.();
    const unknown = known === undefined ? [] : cells.filter(({ log }) => !known.has(log.projectId));
    const faults = await this.#lookInto(cells, checkpoints, deadLettered);
    const { deep = false, repeatWindowMs } = this.#options;
    const { projectId } = this.#period;
    const profiles = deep
      ? await checkProfiles({ ...this.#profileParts(), deadLettered, repeatWindowMs, projectId })
      : null;
    const unlisted = await this.#forgotten.unlisted();
    return this.#report(startedMs, { cells, unknown, faults, profiles, checkpoints, unlisted });
  }

  /** Without the cells of which the log may lack messages, since it was cut. */
  async #comparable(all: readonly ComparedCell[]): Promise<readonly ComparedCell[]> {
    const { onLog = [], cut = [] } = await groupByLog(this.#stores.profiles, all);
    this.#notCompared = cut.reduce((sum, { counted }) => sum + counted, 0);
    return onLog;
  }

  async #scan(counted: LogCells, checkpoints: Checkpoints, deadLettered: DeadLetterCoordinates): Promise<void> {
    const ranges = await this.#ranges();
    const total = Number(ranges.reduce((sum, { from, to }) => sum + to - from, 0n));
    for await (const scanned of scanMessages(this.#scanParts(), ranges)) {
      const { batch, decoded, unprocessable } = scanned;
      this.#forgotten.add(scanned);
      await counted.addAll(decoded);
      for (const one of unprocessable) this.#addUndecodable(one, checkpoints, deadLettered);
      this.#read += batch.records.length;
      this.#options.report?.({ done: this.#read, total, unit: 'messages' });
    }
  }

  async #ranges(): Promise<readonly ScanRange[]> {
    return messageRanges(this.#stores.log, instantsOf(this.#period).from, CLOCK_MARGIN_MS);
  }

  /**
   * A record that is not a valid message belongs to no project. Its append time counts, and only if all projects are
   * verified.
   */
  #addUndecodable(
    { topic, partition, record }: Unprocessable,
    { checked }: Checkpoints,
    deadLettered: DeadLetterCoordinates,
  ): void {
    const { since = -Infinity, until = Infinity, projectId } = this.#period;
    const appendedAt = BigInt(Math.floor(record.appendedAtMs)) * 1000n;
    const hour = hourOf(appendedAt);
    if (hour < since || hour >= until || projectId !== undefined) return;
    this.#undecodable++;
    for (const [store, reader] of [
      ['postgres', 'projector'],
      ['clickhouse', 'sink'],
    ] as const) {
      const passed = checkedUpTo(checked[reader], { topic, partition });
      if (record.offset >= passed || deadLettered.has(reader, { topic, partition }, record.offset)) continue;
      const why = `it cannot be read, and the ${reader} has not put it into the dead letters`;
      this.#missing[store].add({ topic, partition, offset: String(record.offset), ...UNKNOWN_MESSAGE, why });
    }
  }

  async #storedCells({ checked }: Checkpoints): Promise<ReadonlyMap<string, StoredCell>> {
    const stored = new Map<string, StoredCell>();
    for (const topic of MESSAGE_TOPICS) {
      const some = await storedCells(this.#stores.analytics, topic, checkedIn(checked.sink, topic), this.#stored());
      for (const [name, cell] of some) stored.set(name, cell);
    }
    return stored;
  }

  /** Returns the faults of ClickHouse by cell; messages go to the findings. */
  async #lookInto(
    cells: readonly ComparedCell[],
    checkpoints: Checkpoints,
    deadLettered: DeadLetterCoordinates,
  ): Promise<ReadonlyMap<string, RowFault>> {
    const { hidden, cuts } = this.#forgotten;
    const parts = { ...this.#scanParts(), ...this.#stores, checkpoints, deadLettered, hidden, cuts };
    for (const span of spansOf(cells.filter(differsInPostgres))) {
      await findMissingEffects({ ...parts, ...this.#profileParts(), missing: this.#missing.postgres }, span);
    }
    const faults = new Map<string, RowFault>();
    for (const span of spansOf(cells.filter(differsInClickHouse))) {
      const row = { ...parts, missing: this.#missing.clickhouse, surplus: this.#surplusRows };
      for (const [name, fault] of await findMissingRows(row, span)) faults.set(name, fault);
    }
    return faults;
  }

  #scanParts() {
    const { signal, rest } = this.#options;
    return { log: this.#stores.log, codec: this.#stores.codec, signal, rest, erased: this.#forgotten.people };
  }

  #stored(): StoredPeriod {
    const { hidden, cuts } = this.#forgotten;
    return { ...this.#period, hidden, cuts };
  }

  #profileParts() {
    const { codec, profilesCodec = codec } = this.#stores;
    return { ...this.#scanParts(), ...this.#stores, codec: profilesCodec, erased: this.#forgotten.erased };
  }

  #report(startedMs: number, found: Found): VerificationReport {
    const { cells, faults, profiles, checkpoints } = found;
    const { since, until, projectId } = this.#period;
    const hours = hoursOf(cells, faults);
    const counts = countFaults(cells);
    const missing = {
      postgres: { ...this.#missing.postgres.result(), uncounted: counts.missing },
      clickhouse: this.#missing.clickhouse.result(),
    };
    const isWhole = missing.postgres.count === 0 && missing.clickhouse.count === 0 && this.#surplusRows.count === 0;
    return {
      equal:
        isWhole &&
        found.unlisted.count === 0 &&
        hours.every(({ equal }) => equal) &&
        (profiles?.different.count ?? 0) === 0,
      since: since === undefined ? null : firstInstantOf(since),
      until: until === undefined ? null : firstInstantOf(until),
      project: projectId ?? null,
      records_read: this.#read,
      took_ms: Math.round(performance.now() - startedMs),
      hours,
      undecodable: this.#undecodable,
      skipped: this.#skipped,
      events_not_kept: this.#notKept,
      not_compared: this.#notCompared,
      blank_unlisted: found.unlisted,
      deleted_from_log: this.#deletedFromLog,
      unknown_projects: {
        messages: messagesOf(found.unknown),
        projects: [...new Set(found.unknown.map(({ log }) => log.projectId))].slice(0, MAX_NAMED),
      },
      missing,
      surplus: { postgres: counts.surplus, clickhouse: this.#surplusRows.result() },
      unknown_before: unknownBefore(checkpoints),
      profiles,
    };
  }
}

interface Found {
  readonly cells: readonly ComparedCell[];
  /** Those of projects that the database does not have. */
  readonly unknown: readonly ComparedCell[];
  readonly faults: ReadonlyMap<string, RowFault>;
  readonly profiles: VerificationReport['profiles'];
  readonly checkpoints: Checkpoints;
  readonly unlisted: Finding;
}

/** Repeats included. */
function messagesOf(cells: readonly ComparedCell[]): number {
  return cells.reduce((sum, { log }) => sum + log.messages + log.repeats, 0);
}

/** The most recent complete hours. */
export function lastHours(count: number, nowMs = Date.now()): Period & { readonly since: Hour; readonly until: Hour } {
  const until = hourOf(BigInt(nowMs) * 1000n);
  return { since: until - count, until };
}
