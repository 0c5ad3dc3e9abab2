import { expectSightings } from '../../stores/generations/expect-sightings.ts';
import type { Generation, GenerationKind } from '../../stores/generations/generation.ts';
import { LiveGenerations } from '../../stores/generations/live-generations.ts';
import { liveNumberOf, type LiveRow, SqlGenerations } from '../../stores/generations/sql-generations.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import { type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { type Compared, isSame } from './compared.ts';
import type { JobArguments } from '../jobs/job.ts';
import { type Estimate, estimate } from './estimate.ts';
import { Replay, type ReplayParts } from './replay.ts';

/** A generation as operators see it. */
export interface GenerationSummary {
  readonly kind: GenerationKind;
  readonly number: number;
  /** Null for all projects. */
  readonly project: string | null;
  readonly state: 'live' | 'building' | 'former' | 'dropping' | 'dropped';
  /** The projects for which it is live: `all`, or their ids. */
  readonly answers: readonly string[];
  readonly messages: number;
  readonly behind: number;
  readonly rate_limit: number | null;
  /** The instant as of which it takes messages that a wrong clock dated in the future; null if it takes all as recorded. */
  readonly as_of: string | null;
  readonly created_at: string;
}

export interface BuiltGeneration {
  readonly kind: GenerationKind;
  readonly number: number;
  readonly project: string | null;
  readonly messages: number;
  readonly same: boolean;
  readonly comparison: readonly Compared[];
}

export interface PlannedReplay extends Estimate {
  readonly kind: GenerationKind;
  readonly project: string | null;
  /** The generation whose build would be continued; null if a new one would be created. */
  readonly resumes: number | null;
  /** How much that generation has read already. */
  readonly read: number;
}

export interface Swapped {
  readonly kind: GenerationKind;
  readonly project: string | null;
  readonly from: number;
  readonly to: number;
}

export interface ReplayCommandParts extends ReplayParts {
  /** Whether analytics is on several shards, where an anonymous id and its user may be apart. */
  readonly isSharded?: boolean;
  /** Runs the readers of the generations during `run`, unless a service does. */
  readonly whileFed: <T>(run: () => Promise<T>) => Promise<T>;
}

// A generation without progress for this long has no running reader.
const STALLED_AFTER_MS = 15_000;

/**
 * What takes `args` and a call is a job. It may be interrupted at any point and repeated: it then continues what was begun.
 * HTTP calls the rest, from another thread too.
 */
export class ReplayCommands {
  readonly #parts: ReplayCommandParts;
  readonly #replay: Replay;

  constructor(parts: ReplayCommandParts) {
    this.#parts = parts;
    this.#replay = new Replay(parts);
  }

  /** All of them; there are few. */
  async list(): Promise<readonly GenerationSummary[]> {
    const live = await this.#replay.live();
    return Promise.all((await this.#replay.list()).map((one) => generationSummary(this.#replay, live, one)));
  }

  async find(kind: string, number: number): Promise<GenerationSummary | undefined> {
    const found = isKind(kind) ? await new SqlGenerations(this.#parts.database).find(kind, number) : undefined;
    return found && generationSummary(this.#replay, await this.#replay.live(), found);
  }

  /** Resolves where ids of a project may be joined. @throws TidemarkError `IDS_NOT_JOINED`. */
  async expectJoins(projectId: string): Promise<void> {
    const { database, isSharded = false } = this.#parts;
    if (isSharded)
      throw new TidemarkError(
        'IDS_NOT_JOINED',
        'Ids are not joined on a cluster of ClickHouse: see docs/one-person.md.',
      );
    await expectSightings(database, new LiveGenerations(database), projectId);
  }

  /** What `build` would take. @throws TidemarkError `PROJECT_UNKNOWN`. */
  async plan(args: JobArguments['replay build']): Promise<PlannedReplay> {
    const target = await targetOf(this.#parts, args);
    const { rate = null } = args;
    const building = await this.#replay.building(target);
    const live = await liveNumberOf(this.#parts.database, target.kind, target.projectId);
    const estimated = await estimate(this.#parts, target.kind, live, await this.#replay.list(), rate);
    const read = building === undefined ? 0 : Number((await this.#replay.progressOf(building)).read);
    const { kind, projectId: project } = target;
    return { kind, project, resumes: building?.number ?? null, read, ...estimated };
  }

  /** Its readers follow within a second. @param rate Null for none. */
  async changeRate(
    { kind, number }: Pick<GenerationSummary, 'kind' | 'number'>,
    rate: number | null,
  ): Promise<GenerationSummary> {
    await new SqlGenerations(this.#parts.database).setRateLimit(kind, number, rate);
    const found = await this.find(kind, number);
    if (found === undefined) throw noGeneration(kind, number);
    return found;
  }

  async build(args: JobArguments['replay build'], { report, signal }: CommandCall): Promise<BuiltGeneration> {
    const target = await targetOf(this.#parts, args);
    const generation = await this.#replay.make(target, args.rate, asOfIn(args));
    return this.#parts.whileFed(async () => {
      let done = 0;
      await this.#replay.takeDeleted(generation, signal, (messages) => {
        report({ phase: 'copying', done: (done += messages), unit: 'messages' });
      });
      const idle = new Idleness();
      await this.#replay.caughtUp(generation, signal, ({ read, end }) => {
        const waiting =
          idle.sinceMs(read) > STALLED_AFTER_MS ? { waiting: 'nobody reads it: is a projector or sink running?' } : {};
        report({ phase: 'reading', done: Number(read), total: Number(end), unit: 'messages', ...waiting });
      });
      return compared(this.#replay, generation, { report, signal });
    });
  }

  async compare(args: JobArguments['replay compare'], call: CommandCall): Promise<BuiltGeneration> {
    return compared(this.#replay, await this.#generationIn(args), call);
  }

  async swap(args: JobArguments['replay swap'], { signal }: CommandCall): Promise<Swapped> {
    const found = await this.#generationIn(args);
    const why = whyNotSwapped(found);
    if (why !== undefined) throw commandInvalid(why);
    const { kind, number, projectId } = found;
    const from = await liveNumberOf(this.#parts.database, kind, projectId);
    await this.#parts.whileFed(() => this.#replay.swap({ kind, projectId }, number, signal));
    return { kind, project: projectId, from, to: number };
  }

  async rollback(args: JobArguments['replay rollback'], { signal }: CommandCall): Promise<Swapped> {
    const target = await targetOf(this.#parts, args);
    const swapped = await this.#parts.whileFed(() => this.#replay.rollback(target, signal));
    return { kind: target.kind, project: target.projectId, ...swapped };
  }

  async drop(
    { kind, number }: JobArguments['replay drop'],
    { signal }: CommandCall,
  ): Promise<Pick<GenerationSummary, 'kind' | 'number'>> {
    await this.#replay.drop(kind, number, signal);
    return { kind, number };
  }

  async #generationIn({ kind, number }: JobArguments['replay swap']): Promise<Generation> {
    const found = await new SqlGenerations(this.#parts.database).find(kind, number);
    if (found === undefined) throw noGeneration(kind, number);
    return found;
  }
}

/** Why a generation cannot be swapped in; undefined where it can. */
export function whyNotSwapped({
  kind,
  number,
  state,
}: Pick<Generation | GenerationSummary, 'kind' | 'number' | 'state'>): string | undefined {
  return state === 'building' ? undefined : `Generation ${number} of ${kind} is not being built.`;
}

/** Compares a generation with what is live in its place. */
async function compared(
  replay: Replay,
  generation: Generation,
  { report, signal }: CommandCall,
): Promise<BuiltGeneration> {
  const comparison = await replay.compare(generation, signal, (done, unit) =>
    report({ phase: 'comparing', done, unit }),
  );
  const { read } = await replay.progressOf(generation);
  const { kind, number, projectId } = generation;
  return { kind, number, project: projectId, messages: Number(read), same: isSame(comparison), comparison };
}

async function generationSummary(
  replay: Replay,
  allLive: readonly LiveRow[],
  generation: Generation,
): Promise<GenerationSummary> {
  const { kind, number, projectId, rateLimit, asOf, createdAtMs } = generation;
  const isFed = generation.state === 'building' || generation.state === 'built';
  const { read, end } = isFed ? await replay.progressOf(generation) : { read: 0n, end: 0n };
  const answers = allLive
    .filter((row) => row.kind === kind && row.number === number)
    .map((row) => row.projectId ?? 'all');
  return {
    kind,
    number,
    project: projectId,
    state: summaryState(generation, answers.length > 0),
    answers,
    messages: Number(read),
    behind: Number(end - read),
    rate_limit: rateLimit,
    as_of: asOf.length === 0 ? null : formatMicros(asOf.at(-1)?.instant ?? 0n),
    created_at: new Date(createdAtMs).toISOString(),
  };
}

function summaryState({ state }: Generation, isLive: boolean): GenerationSummary['state'] {
  if (isLive) return 'live';
  return state === 'built' ? 'former' : state;
}

/** Measures for how long a number has not changed. */
class Idleness {
  #last = -1n;
  #since = performance.now();

  sinceMs(now: bigint): number {
    if (now !== this.#last) [this.#last, this.#since] = [now, performance.now()];
    return performance.now() - this.#since;
  }
}

async function targetOf({ database }: ReplayParts, { kind, project = null }: JobArguments['replay rollback']) {
  if (project === null) return { kind, projectId: null };
  const found = await database.query('select 1 from projects where id = $1', [project]);
  if (found.length === 0) throw new TidemarkError('PROJECT_UNKNOWN', `No project has the id ${project}.`);
  return { kind, projectId: project };
}

function noGeneration(kind: GenerationKind, number: number): TidemarkError {
  return commandInvalid(`There is no generation ${number} of ${kind}.`);
}

export function isKind(kind: string): kind is GenerationKind {
  return kind === 'profiles' || kind === 'analytics';
}

/** Undefined: what the live generation has. @throws TidemarkError `COMMAND_INVALID` */
export function asOfIn({ as_of: asOf }: Pick<JobArguments['replay build'], 'as_of'>): Micros | undefined {
  if (asOf === undefined || asOf === null) return undefined;
  const read = parseTimestamp(asOf, 'UTC');
  if (!read.ok || read.micros > BigInt(Date.now()) * 1000n) {
    throw commandInvalid('as_of is an instant in RFC 3339, and not in the future.');
  }
  return read.micros;
}
