/** Counts what is refused, in memory, and hands the counts to the store every few seconds. */
import type { Call } from '../http/call.ts';
import type { Refusal } from '../http/problems.ts';
import { readJson } from '../messages/json.ts';
import type { Problem } from '../messages/message.ts';
import { isObject } from '../messages/sdk/sdk-call.ts';
import type { Logger } from '../runtime/logger.ts';
import {
  type CountedRefusals,
  MAX_GROUPS_A_DAY,
  otherGroup,
  type RefusalGroup,
} from '../stores/service-state/refusal-store.ts';
import type { SqlRefusalStore } from '../stores/service-state/sql-refusal-store.ts';
import type { RejectedItem } from './lenient.ts';

/** The request that was refused, or had items that were. */
export type CountedCall = Pick<Call, 'key' | 'namedProject' | 'route' | 'body' | 'headers'>;

interface RefusalCountsOptions {
  readonly flushEveryMs?: number;
  readonly nowMs?: () => number;
}

const FLUSH_EVERY_MS = 5_000;
const DELETE_EVERY_MS = 3_600_000;
/** Groups of all projects between two flushes. A group takes up to 3 KB. */
const MAX_GROUPS = 10_000;
const GROUPS_A_CALL = 1_000;
/** A request with more different problems has the first of them counted. */
const MAX_PROBLEMS_COUNTED = 10;
const MAX_POINTER_CHARS = 200;
const MAX_MESSAGE_CHARS = 300;
const MAX_EXAMPLE_CHARS = 1_000;
/** Items are found by parsing their batch again, which takes milliseconds: not oftener than so between two flushes. */
const PARSED_BATCHES = 3;

type Counting = { -readonly [Member in keyof CountedRefusals]: CountedRefusals[Member] };

/**
 * A refusal takes some microseconds and no I/O. What is held is bounded: 1,000 groups a project and 10,000 in all, between
 * two flushes; what is beyond is counted in one group a project. An attacker who makes up members can fill no more.
 */
export class RefusalCounts {
  readonly #store: Pick<SqlRefusalStore, 'add' | 'deleteOld'>;
  readonly #logger: Pick<Logger, 'debug'>;
  readonly #flushEveryMs: number;
  readonly #nowMs: () => number;
  #projects = new Map<string, Map<string, Counting>>();
  #groups = 0;
  #parsesLeft = PARSED_BATCHES;
  #total = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #deletedAtMs = -Infinity;

  constructor(
    store: Pick<SqlRefusalStore, 'add' | 'deleteOld'>,
    logger: Pick<Logger, 'debug'>,
    { flushEveryMs = FLUSH_EVERY_MS, nowMs = Date.now }: RefusalCountsOptions = {},
  ) {
    this.#store = store;
    this.#logger = logger;
    this.#flushEveryMs = flushEveryMs;
    this.#nowMs = nowMs;
  }

  /** How many requests and items have been refused since the process began. */
  get total(): number {
    return this.#total;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.flush(), this.#flushEveryMs).unref();
  }

  /** Counts are lost where the store cannot take them now. Idempotent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // One under way took its counts before the last refusals.
    await this.#flushing;
    await this.flush();
  }

  /** A request with a key that may send messages was refused. One with several problems counts once for each. */
  add(call: CountedCall, refusal: Refusal): void {
    const { route, body } = call;
    const group = route?.scope === 'write' ? groupOf(call, refusal.refused) : undefined;
    if (group === undefined) return;
    this.#total++;
    const problems = refusal.errors?.length ? refusal.errors : [{ path: '', message: refusal.detail }];
    const example = (): string | null => (body.length === 0 ? null : beginningOf(body));
    for (const [pointer, message] of byPointer(problems)) this.#count({ ...group, pointer }, message, example);
  }

  /** What no project is known for. */
  addGroup(group: RefusalGroup, message: string): void {
    this.#count({ ...group, userAgent: null }, message, () => null);
  }

  /** @param rejected JSON of the items that were left out of a batch. @param count How many these are. */
  addItems(call: CountedCall, rejected: string, count: number): void {
    const group = groupOf(call, 'invalid-body');
    if (group === undefined) return;
    this.#total += count;
    const items = itemsWithErrors(rejected);
    const exampleOf = this.#examplesIn(call.body);
    for (const { index, errors } of items) {
      for (const [pointer, message] of byPointer(errors)) {
        this.#count({ ...group, pointer }, message, () => exampleOf(index));
      }
    }
    const others = count - items.length;
    if (others > 0) this.#count({ ...group, pointer: '/batch/*' }, UNLISTED, () => null, others);
  }

  /** @param adjusted JSON of what was mended or left out of messages that were accepted. @param count How many these are. */
  addAdjusted(call: CountedCall, adjusted: string, count: number): void {
    const group = groupOf(call, 'adjusted');
    if (group === undefined) return;
    const listed = JSON.parse(adjusted) as readonly Problem[];
    const exampleOf = this.#examplesIn(call.body);
    const indexes = new Set<number>();
    for (const { path, message } of listed) {
      const index = Number(/^\/batch\/(\d+)\//.exec(path)?.[1] ?? NaN);
      indexes.add(index);
      const example = (): string | null => (Number.isNaN(index) ? beginningOf(call.body) : exampleOf(index));
      this.#count({ ...group, pointer: groupPointer(path) }, message, example);
    }
    const others = count - indexes.size;
    if (others > 0) this.#count({ ...group, pointer: '/batch/*' }, UNLISTED_ADJUSTED, () => null, others);
  }

  /** Hands over what was counted. Where the store cannot take it now, it stays. Never rejects. */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush()
      .catch((error: unknown) => this.#logger.debug({ err: error }, 'cannot keep the counts of refusals now'))
      .finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    const counted = [...this.#projects.values()].flatMap((groups) => [...groups.values()]);
    this.#projects = new Map();
    this.#groups = 0;
    this.#parsesLeft = PARSED_BATCHES;
    for (let at = 0; at < counted.length; at += GROUPS_A_CALL) {
      try {
        await this.#store.add(counted.slice(at, at + GROUPS_A_CALL));
      } catch (error) {
        for (const one of counted.slice(at)) this.#merge(one);
        throw error;
      }
    }
    if (this.#nowMs() - this.#deletedAtMs < DELETE_EVERY_MS) return;
    await this.#store.deleteOld();
    this.#deletedAtMs = this.#nowMs();
  }

  #count(group: SentGroup, message: string, exampleOf: () => string | null, count = 1): void {
    const nowMs = this.#nowMs();
    const counting = this.#find(group);
    if (counting !== undefined) {
      counting.count += count;
      counting.lastAtMs = nowMs;
      return;
    }
    const first = { count, firstAtMs: nowMs, lastAtMs: nowMs, message: cutText(message, MAX_MESSAGE_CHARS) };
    this.#open({ ...group, ...first, example: exampleOf() });
  }

  /** The group, or that of all others where no more may be opened; undefined where it can be opened. */
  #find(group: RefusalGroup): Counting | undefined {
    const groups = this.#projects.get(group.projectId);
    return groups?.get(groupName(group)) ?? (this.#isFull(groups) ? this.#other(group) : undefined);
  }

  #isFull(groups: Map<string, Counting> | undefined): boolean {
    return this.#groups >= MAX_GROUPS || (groups !== undefined && groups.size >= MAX_GROUPS_A_DAY);
  }

  #other(of: RefusalGroup): Counting {
    const group = otherGroup(of);
    const found = this.#projects.get(group.projectId)?.get(groupName(group));
    if (found !== undefined) return found;
    const nowMs = this.#nowMs();
    const message = 'is beyond the problems that are told apart';
    const first = { count: 0, firstAtMs: nowMs, lastAtMs: nowMs, message, example: null, userAgent: null };
    return this.#open({ ...group, ...first });
  }

  #open(counting: Counting): Counting {
    const { projectId } = counting;
    let groups = this.#projects.get(projectId);
    if (groups === undefined) this.#projects.set(projectId, (groups = new Map<string, Counting>()));
    groups.set(groupName(counting), counting);
    this.#groups++;
    return counting;
  }

  /** Takes back what the store did not take. */
  #merge(one: CountedRefusals): void {
    const counting = this.#find(one);
    if (counting === undefined) {
      this.#open({ ...one });
      return;
    }
    counting.count += one.count;
    counting.firstAtMs = Math.min(counting.firstAtMs, one.firstAtMs);
    counting.lastAtMs = Math.max(counting.lastAtMs, one.lastAtMs);
  }

  /** The beginning of an item of a batch, which is parsed when the first is asked for. */
  #examplesIn(body: Buffer): (index: number) => string | null {
    let batch: readonly unknown[] | undefined;
    return (index) => {
      batch ??= this.#batchIn(body);
      const item = batch[index];
      return item === undefined ? null : exampleOfText(JSON.stringify(item));
    };
  }

  #batchIn(body: Buffer): readonly unknown[] {
    if (this.#parsesLeft === 0) return [];
    this.#parsesLeft--;
    const read = readJson(body.toString('utf8'));
    const batch = read.ok && isObject(read.value.exact) ? read.value.exact['batch'] : undefined;
    return Array.isArray(batch) ? batch : [];
  }
}

const UNLISTED = 'is not valid; the first 100 problems of its batch were told';
const UNLISTED_ADJUSTED = 'was mended; the first 100 members of its batch were told';

function groupName({ keyId, path, code, pointer }: RefusalGroup): string {
  return `${keyId} ${path} ${code} ${pointer}`;
}

type SentGroup = RefusalGroup & Pick<CountedRefusals, 'userAgent'>;

/** Without its pointer; undefined for a request that no project's key sent. */
function groupOf(
  { key, namedProject, route, headers }: CountedCall,
  code: string,
): Omit<SentGroup, 'pointer'> | undefined {
  const project = key?.project ?? namedProject;
  if (key === undefined || project === undefined || route === undefined) return undefined;
  const { 'user-agent': agent } = headers;
  const userAgent = agent === undefined ? null : cutText(agent, MAX_MESSAGE_CHARS);
  return { projectId: project.id, keyId: key.id, path: route.path, code, userAgent };
}

/** Those whose errors were told: of a batch with more than 100 problems, the first ones. The others need not be parsed. */
function itemsWithErrors(rejected: string): readonly RejectedItem[] {
  const end = rejected.indexOf('"errors":[]');
  const text = end === -1 ? rejected : `${rejected.slice(0, rejected.lastIndexOf('{', end)).replace(/,$/, '')}]`;
  return JSON.parse(text) as readonly RejectedItem[];
}

/** The first problem of each pointer, with `*` for the indices of lists. */
function byPointer(problems: readonly Problem[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { path, message } of problems) {
    const pointer = groupPointer(path);
    if (!found.has(pointer)) found.set(pointer, message);
    if (found.size === MAX_PROBLEMS_COUNTED) break;
  }
  return found;
}

function groupPointer(path: string): string {
  return cutText(path.replace(/\/\d+(?=\/|$)/g, '/*'), MAX_POINTER_CHARS);
}

function beginningOf(body: Buffer): string {
  return exampleOfText(body.toString('utf8', 0, 4 * MAX_EXAMPLE_CHARS));
}

/** Without a key that an SDK put into the body: whoever reads refusals may have no key to write. */
function exampleOfText(text: string): string {
  return cutText(text, 2 * MAX_EXAMPLE_CHARS)
    .replace(/("writeKey"\s*:\s*")[^"]*/g, '$1…')
    .slice(0, MAX_EXAMPLE_CHARS)
    .toWellFormed();
}

/** Text that a database takes, cut to `length` characters. */
function cutText(text: string, length: number): string {
  return text.slice(0, length).replaceAll('\0', '\uFFFD').toWellFormed();
}
