import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { hashKey } from './keys.ts';
import type { AuthenticatedKey, KeyRing, Project, ProjectsSnapshot } from './project-store.ts';
import type { SqlProjectStore } from './sql-project-store.ts';

export interface ProjectCacheOptions {
  /** The time from the start of one refresh to the next. A revoked key works for at most this and `timeoutMs`. */
  readonly refreshEveryMs?: number;
  /** The minimum time between the starts of two refreshes, however many unknown keys arrive. */
  readonly minIntervalMs?: number;
  /** A refresh that takes longer counts as failed. */
  readonly timeoutMs?: number;
}

type CachedStore = Pick<SqlProjectStore, 'snapshot' | 'noteUsed'>;

/**
 * Every project and valid key in memory, by the SHA-256 of the key (and by the key itself, until the next refresh), so
 * that a known key is answered at once, also while the store is unreachable. A revoked key stops working within
 * `refreshEveryMs` + `timeoutMs` (9 s).
 */
export class ProjectCache implements KeyRing {
  readonly #store: CachedStore;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  readonly #options: Required<ProjectCacheOptions>;
  #keys: ReadonlyMap<string, AuthenticatedKey> = new Map();
  #projects: ReadonlyMap<string, Project> = new Map();
  /** Keys found since the last refresh, in plain text: a lookup instead of a SHA-256 for every request. */
  readonly #given = new Map<string, AuthenticatedKey>();
  /** The ids of keys whose use the store does not know yet. */
  readonly #used = new Set<string>();
  #noting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #beganAtMs = -Infinity;
  #isUnavailable = false;
  readonly #stopping = new AbortController();

  constructor(store: CachedStore, logger: Pick<Logger, 'info' | 'warn'>, options: ProjectCacheOptions = {}) {
    this.#store = store;
    this.#logger = logger;
    this.#options = { refreshEveryMs: 5_000, minIntervalMs: 250, timeoutMs: 4_000, ...options };
  }

  /**
   * Reads the store repeatedly until `stop`. Resolves after the first attempt, whether or not it succeeded. Until one has,
   * every lookup fails with `STORE_UNAVAILABLE`.
   */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.#refreshSoon().catch(ignore), this.#options.refreshEveryMs).unref();
    await this.#refreshSoon().catch(ignore);
  }

  /**
   * Waits for a refresh in progress. Afterwards known keys are still answered, and unknown keys fail with
   * `STORE_UNAVAILABLE`. Idempotent.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await Promise.allSettled([this.#running, this.#next, this.#noting]);
  }

  find(key: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> {
    const given = this.#given.get(key);
    if (given !== undefined) return given;
    const sha256 = hashKey(key);
    const found = this.#keys.get(sha256);
    if (found === undefined) return this.#lookAgain(key, sha256);
    this.#given.set(key, found);
    return found;
  }

  /** The key may have been created a moment ago: only a refresh that began after the lookup can reject it. */
  async #lookAgain(key: string, sha256: string): Promise<AuthenticatedKey | undefined> {
    await this.#refreshSoon();
    const found = this.#keys.get(sha256);
    if (found !== undefined) this.#given.set(key, found);
    return found;
  }

  /** Returns what the key of this id is; undefined if it is unknown or revoked. Without a promise, and throws, as `find`. */
  findById(id: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> {
    const found = this.#keyOfId(id);
    if (found !== undefined) this.#used.add(id);
    return found ?? this.#refreshSoon().then(() => this.#keyOfId(id));
  }

  #keyOfId(id: string): AuthenticatedKey | undefined {
    return this.#keys.values().find((key) => key.id === id);
  }

  findProject(idOrName: string): Project | Promise<Project | undefined> {
    return this.#projects.get(idOrName) ?? this.#lookForProject(idOrName);
  }

  async #lookForProject(idOrName: string): Promise<Project | undefined> {
    await this.#refreshSoon();
    return this.#projects.get(idOrName);
  }

  /** The next refresh, shared by all callers until it begins. Two refreshes never run at once. */
  #refreshSoon(): Promise<void> {
    this.#next ??= this.#refreshInTurn();
    return this.#next;
  }

  async #refreshInTurn(): Promise<void> {
    try {
      // Yields even if nothing is running, so that `#next` is set before it is cleared below.
      await this.#running?.catch(ignore);
      const waitMs = this.#beganAtMs + this.#options.minIntervalMs - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: this.#stopping.signal, ref: false });
      this.#stopping.signal.throwIfAborted();
    } catch (error) {
      throw projectsUnavailable(error);
    } finally {
      this.#next = undefined;
    }
    this.#beganAtMs = performance.now();
    this.#running = this.#refresh();
    await this.#running;
  }

  async #refresh(): Promise<void> {
    try {
      const snapshot = await inTime(this.#store.snapshot(), this.#options.timeoutMs);
      this.#keys = byHash(snapshot);
      this.#projects = byIdAndName(snapshot);
      this.#noteUsed(snapshot);
      this.#given.clear();
      this.#noteBack();
    } catch (error) {
      this.#noteUnreachable(error);
      throw projectsUnavailable(error);
    }
  }

  /** Only the keys that were not used on this day before. No request waits for it, and a failure is made up for later. */
  #noteUsed({ keys }: ProjectsSnapshot): void {
    for (const { id } of this.#given.values()) this.#used.add(id);
    if (this.#used.size === 0 || this.#noting !== undefined) return;
    const today = new Date().toISOString().slice(0, 10);
    const ids = keys.filter(({ id, lastUsedDay }) => this.#used.has(id) && lastUsedDay !== today).map(({ id }) => id);
    this.#used.clear();
    if (ids.length === 0) return;
    const again = (): void => ids.forEach((id) => this.#used.add(id));
    this.#noting = this.#store
      .noteUsed(ids, today)
      .catch(again)
      .finally(() => (this.#noting = undefined));
  }

  #noteBack(): void {
    if (this.#isUnavailable) this.#logger.info({ keys: this.#keys.size }, 'the project store is back');
    this.#isUnavailable = false;
  }

  /** Logs once for each time the store becomes unreachable, not for every attempt. */
  #noteUnreachable(error: unknown): void {
    if (this.#isUnavailable || this.#stopping.signal.aborted) return;
    this.#isUnavailable = true;
    this.#logger.warn(
      { err: error, keys: this.#keys.size },
      'the project store is unreachable: going on with the keys known',
    );
  }
}

function byHash({ projects, keys }: ProjectsSnapshot): Map<string, AuthenticatedKey> {
  const byId = new Map(projects.map((project) => [project.id, project]));
  const found = new Map<string, AuthenticatedKey>();
  for (const { id, name, projectId, scopes, sha256 } of keys) {
    const project = projectId === null ? null : byId.get(projectId);
    if (project !== undefined) found.set(sha256, { id, name, project, scopes });
  }
  return found;
}

/** A name that several projects have names none of them, and an id goes before a name. */
function byIdAndName({ projects }: ProjectsSnapshot): Map<string, Project> {
  const named = Map.groupBy(projects, ({ name }) => name);
  const alone = [...named].flatMap(([name, [project, ...others]]) =>
    project === undefined || others.length > 0 ? [] : [[name, project] as const],
  );
  return new Map([...alone, ...projects.map((project) => [project.id, project] as const)]);
}

/** A result after the timeout is dropped: an old snapshot must not overwrite a newer one. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new TidemarkError('STORE_UNAVAILABLE', `The project store did not answer in ${timeoutMs} ms.`);
    timer = setTimeout(reject, timeoutMs, error).unref();
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function projectsUnavailable(cause: unknown): TidemarkError {
  return new TidemarkError('STORE_UNAVAILABLE', 'The key cannot be checked: the project store is unreachable.', {
    cause,
  });
}

function ignore(): void {
  // Those who wait for the refresh receive the error, and #noteUnreachable logs it.
}
