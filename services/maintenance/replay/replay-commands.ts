import type { Generation, GenerationKind } from '../../stores/generations/generation.ts';
import { liveNumberOf, SqlGenerations } from '../../stores/generations/sql-generations.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, parseTimestamp } from '../../messages/timestamp.ts';
import { type Command, type CommandArguments, type CommandCall, commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { type Compared, isSame } from './comparison.ts';
import { type Estimate, estimate } from './estimate.ts';
import { Replay, type ReplayParts, type Target } from './replay.ts';

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

export interface ReplayCommandResults {
  readonly 'replay plan': PlannedReplay;
  readonly 'replay build': BuiltGeneration;
  readonly 'replay compare': BuiltGeneration;
  readonly 'replay rate': GenerationSummary;
  readonly 'replay swap': Swapped;
  readonly 'replay rollback': Swapped;
  readonly 'replay drop': { readonly kind: GenerationKind; readonly number: number };
  readonly 'replay status': readonly GenerationSummary[];
}

export type ReplayCommands = {
  readonly [Name in keyof ReplayCommandResults]: Command<ReplayCommandResults[Name]>;
};

export interface ReplayCommandParts extends ReplayParts {
  /** Runs the readers of the generations during `run`, unless a service does. */
  readonly whileFed: <T>(run: () => Promise<T>) => Promise<T>;
}

// A generation without progress for this long has no running reader.
const STALLED_AFTER_MS = 15_000;

/** Every command may be interrupted at any point and repeated: it then continues what was begun. */
export function replayCommands(parts: ReplayCommandParts): ReplayCommands {
  const replay = new Replay(parts);
  return {
    'replay plan': async (args) => plan(parts, replay, await targetOf(parts, args), rateOf(args) ?? null),
    'replay build': (args, call) => build(parts, replay, args, call),
    'replay compare': async (args, call) => compared(replay, await generationOf(parts, args), call),
    'replay rate': (args) => changeRate(parts, replay, args),
    'replay swap': async (args, { signal }) => {
      const target = await targetOf(parts, args);
      const building = await replay.building(target);
      const isWanted = args['number'] === undefined || args['number'] === building?.number;
      if (building === undefined || !isWanted)
        throw commandInvalid(`No such generation of ${target.kind} is being built.`);
      const from = await liveNumberOf(parts.database, target.kind, target.projectId);
      await parts.whileFed(() => replay.swap(target, building.number, signal));
      return { kind: target.kind, project: target.projectId, from, to: building.number };
    },
    'replay rollback': async (args, { signal }) => {
      const target = await targetOf(parts, args);
      return {
        kind: target.kind,
        project: target.projectId,
        ...(await parts.whileFed(() => replay.rollback(target, signal))),
      };
    },
    'replay drop': async (args, { signal }) => {
      const kind = kindOf(args['kind']);
      const number = readGeneration(args['number']);
      await replay.drop(kind, number, signal);
      return { kind, number };
    },
    'replay status': () => status(replay),
  };
}

async function build(
  parts: ReplayCommandParts,
  replay: Replay,
  args: CommandArguments,
  { report, signal }: CommandCall,
): Promise<BuiltGeneration> {
  const target = await targetOf(parts, args);
  const generation = await replay.make(target, rateOf(args), asOfIn(args));
  return parts.whileFed(async () => {
    const idle = new Idleness();
    await replay.caughtUp(generation, signal, ({ read, end }) => {
      const waiting =
        idle.sinceMs(read) > STALLED_AFTER_MS ? { waiting: 'nobody reads it: is a projector or sink running?' } : {};
      report({ phase: 'reading', done: Number(read), total: Number(end), unit: 'messages', ...waiting });
    });
    return compared(replay, generation, { report, signal });
  });
}

/** Its readers follow within a second. */
async function changeRate(
  parts: ReplayCommandParts,
  replay: Replay,
  args: CommandArguments,
): Promise<GenerationSummary> {
  const { kind, number } = await generationOf(parts, args);
  const rate = rateOf(args);
  if (rate === undefined) throw commandInvalid('Give the rate, or null for none.');
  await new SqlGenerations(parts.database).setRateLimit(kind, number, rate);
  const found = (await status(replay)).find((one) => one.kind === kind && one.number === number);
  if (found === undefined) throw noGeneration(kind, number);
  return found;
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

async function plan(
  parts: ReplayCommandParts,
  replay: Replay,
  target: Target,
  rateLimit: number | null,
): Promise<PlannedReplay> {
  const building = await replay.building(target);
  const live = await liveNumberOf(parts.database, target.kind, target.projectId);
  const estimated = await estimate(parts, target.kind, live, await replay.list(), rateLimit);
  const read = building === undefined ? 0 : Number((await replay.progressOf(building)).read);
  const { kind, projectId: project } = target;
  return { kind, project, resumes: building?.number ?? null, read, ...estimated };
}

async function status(replay: Replay): Promise<readonly GenerationSummary[]> {
  const live = await replay.live();
  const all = await replay.list();
  return Promise.all(
    all.map(async (generation): Promise<GenerationSummary> => {
      const { kind, number, projectId, rateLimit, asOf, createdAtMs } = generation;
      const isFed = generation.state === 'building' || generation.state === 'built';
      const { read, end } = isFed ? await replay.progressOf(generation) : { read: 0n, end: 0n };
      const answers = live
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
    }),
  );
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

async function targetOf({ database }: ReplayParts, args: CommandArguments): Promise<Target> {
  const kind = kindOf(args['kind']);
  const { project } = args;
  if (project === undefined || project === null) return { kind, projectId: null };
  if (typeof project !== 'string' || !/^\w{1,100}$/u.test(project))
    throw commandInvalid('A project is named by its id.');
  const found = await database.query('select 1 from projects where id = $1', [project]);
  if (found.length === 0) throw new TidemarkError('PROJECT_UNKNOWN', `No project has the id ${project}.`);
  return { kind, projectId: project };
}

async function generationOf({ database }: ReplayParts, args: CommandArguments): Promise<Generation> {
  const [kind, number] = [kindOf(args['kind']), readGeneration(args['number'])];
  const found = await new SqlGenerations(database).find(kind, number);
  if (found === undefined) throw noGeneration(kind, number);
  return found;
}

function noGeneration(kind: GenerationKind, number: number): TidemarkError {
  return commandInvalid(`There is no generation ${number} of ${kind}.`);
}

function kindOf(kind: unknown): GenerationKind {
  if (kind === 'profiles' || kind === 'analytics') return kind;
  throw commandInvalid('What is replayed is profiles or analytics.');
}

/** @throws TidemarkError `COMMAND_INVALID` where the arguments of a build are wrong. */
export function checkBuild(args: CommandArguments): void {
  kindOf(args['kind']);
  rateOf(args);
  asOfIn(args);
}

/** Undefined: what the live generation has. */
function asOfIn({ as_of: asOf }: CommandArguments): Micros | undefined {
  if (asOf === undefined || asOf === null) return undefined;
  const read = typeof asOf === 'string' ? parseTimestamp(asOf, 'UTC') : undefined;
  if (read?.ok !== true || read.micros > BigInt(Date.now()) * 1000n) {
    throw commandInvalid('as_of is an instant in RFC 3339, and not in the future.');
  }
  return read.micros;
}

/** Undefined keeps the rate limit, null removes it. */
function rateOf({ rate }: CommandArguments): number | null | undefined {
  if (rate === undefined || rate === null) return rate;
  if (typeof rate === 'number' && Number.isSafeInteger(rate) && rate >= 1) return rate;
  throw commandInvalid('A rate is a whole number of messages a second from 1 up.');
}

function readGeneration(number: unknown): number {
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 1) return number;
  throw commandInvalid('A generation is named by its number.');
}
