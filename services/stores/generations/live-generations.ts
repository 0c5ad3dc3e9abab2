import type { Position } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { Database } from '../database/database.ts';
import { progressOf } from '../profiles/progress-of.ts';
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
  readonly #database: Database;
  readonly #generations: SqlGenerations;
  #known: readonly LiveRow[] | undefined;
  #lookedUpAt = -Infinity;
  #looking: Promise<readonly LiveRow[]> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#generations = new SqlGenerations(database);
  }

  /** The number of the live generation of this project; without a project, of all projects. */
  async numberOf(kind: GenerationKind, projectId?: string): Promise<number> {
    const rows = (await this.#rows()).filter((row) => row.kind === kind);
    const own = rows.find((row) => row.projectId === projectId)?.number;
    return own ?? rows.find((row) => row.projectId === null)?.number ?? FIRST_GENERATION;
  }

  /**
   * For each partition, the progress of the generation furthest behind, among all that may answer a query now: right after
   * a swap this includes the previous one. What it has passed is visible in every answer.
   */
  async progress(): Promise<{ readonly projector: readonly Position[]; readonly sink: readonly Position[] }> {
    const rows = await this.#generations.live();
    return { projector: await this.#progress(rows, 'profiles'), sink: await this.#progress(rows, 'analytics') };
  }

  /** The numbers of the generations that may answer a query now, as the database has them. */
  async answering(kind: GenerationKind): Promise<readonly number[]> {
    return answeringNumbers(await this.#generations.live(), kind);
  }

  async #progress(rows: readonly LiveRow[], kind: GenerationKind): Promise<readonly Position[]> {
    const numbers = answeringNumbers(rows, kind);
    return furthestBehind(await Promise.all(numbers.map((number) => progressOf(this.#database, kind, number))));
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

/** A partition that one of them has never read is omitted. */
function furthestBehind(readers: readonly (readonly Position[])[]): readonly Position[] {
  const [first = [], ...others] = readers;
  return others.reduce((behind, positions) => {
    const byName = new Map(positions.map((position) => [nameOf(position), position]));
    return behind.flatMap((position) => {
      const other = byName.get(nameOf(position));
      if (other === undefined) return [];
      return other.offset < position.offset ? other : position;
    });
  }, first);
}
