import type { Database } from '../database/database.ts';
import { FIRST_GENERATION, type GenerationKind } from './generation.ts';
import { type LiveRow, SqlGenerations } from './sql-generations.ts';

// How long a lookup is cached. A swap takes effect within this time.
const BELIEVED_MS = 1_000;
// For how long after a swap a query may still be answered by the previous generation.
const FOLLOWED_WITHIN_MS = 5_000;

/**
 * The live generations as this process knows them, looked up at most once a second. For a second after a swap, two
 * processes may answer from different generations, but each query is answered by one of them. Both are still updated,
 * so both answers are correct. While Postgres is unreachable the last known state is used: no swap is possible then.
 */
export class LiveGenerations {
  readonly #generations: SqlGenerations;
  #known: readonly LiveRow[] | undefined;
  #lookedUpAt = -Infinity;
  #looking: Promise<readonly LiveRow[]> | undefined;

  constructor(database: Database) {
    this.#generations = new SqlGenerations(database);
  }

  /** The number of the live generation of this project; without a project, of all projects. */
  async numberOf(kind: GenerationKind, projectId?: string): Promise<number> {
    const rows = (await this.#rows()).filter((row) => row.kind === kind);
    const own = rows.find((row) => row.projectId === projectId)?.number;
    return own ?? rows.find((row) => row.projectId === null)?.number ?? FIRST_GENERATION;
  }

  /**
   * All generations that may answer a query now, looked up again. Right after a swap this includes the previous one.
   */
  async answering(): Promise<Readonly<Record<GenerationKind, readonly number[]>>> {
    const rows = await this.#generations.live();
    return { profiles: answeringNumbers(rows, 'profiles'), analytics: answeringNumbers(rows, 'analytics') };
  }

  async #rows(): Promise<readonly LiveRow[]> {
    if (this.#known !== undefined && performance.now() - this.#lookedUpAt < BELIEVED_MS) return this.#known;
    this.#looking ??= this.#lookUp().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #lookUp(): Promise<readonly LiveRow[]> {
    const begunAt = performance.now();
    try {
      this.#known = await this.#generations.live();
    } catch (error) {
      if (this.#known === undefined) throw error;
    }
    this.#lookedUpAt = begunAt;
    return this.#known;
  }
}

function answeringNumbers(rows: readonly LiveRow[], kind: GenerationKind): readonly number[] {
  const numbers = rows
    .filter((row) => row.kind === kind)
    .flatMap(({ number, previous, forMs }) => [number, forMs < FOLLOWED_WITHIN_MS ? previous : null]);
  return [...new Set(numbers.filter((number) => number !== null))];
}
