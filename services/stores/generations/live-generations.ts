import type { Database } from '../database/database.ts';
import { FIRST_GENERATION, type GenerationKind } from './generation.ts';
import { type LiveRow, SqlGenerations } from './sql-generations.ts';

// How long what was looked up is believed: a swap is followed within it.
const BELIEVED_MS = 1_000;
// For how long after a swap somebody may still be answered by the generation before.
const FOLLOWED_WITHIN_MS = 5_000;

/**
 * Which generation answers, as a process knows it: looked up at most once a second. So for a second after a swap two
 * processes may answer from two generations, each question from one alone; both go on being fed, so that both answers are
 * right. While Postgres is unreachable the last known state stays in use: nobody can swap then.
 */
export class LiveGenerations {
  readonly #generations: SqlGenerations;
  #known: readonly LiveRow[] | undefined;
  #lookedUpAt = -Infinity;
  #looking: Promise<readonly LiveRow[]> | undefined;

  constructor(database: Database) {
    this.#generations = new SqlGenerations(database);
  }

  /** The number of the generation that answers for this project; without one, for everybody. */
  async numberOf(kind: GenerationKind, projectId?: string): Promise<number> {
    const rows = (await this.#rows()).filter((row) => row.kind === kind);
    const own = rows.find((row) => row.projectId === projectId)?.number;
    return own ?? rows.find((row) => row.projectId === null)?.number ?? FIRST_GENERATION;
  }

  /** Every one by which somebody may be answered now, looked up anew: where a swap was just now, the one before too. */
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
