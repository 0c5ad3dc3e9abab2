import type { Database } from '../database/database.ts';
import type { Position } from '../../event-log/event-log.ts';
import { nameOf } from '../../event-log/partition.ts';
import type { ReaderProgress } from '../profiles/profile-store.ts';
import { progressOf } from '../profiles/progress-of.ts';
import type { GenerationKind } from './generation.ts';
import type { LiveGenerations } from './live-generations.ts';

/**
 * The progress of all generations that may answer a query now: for each partition, that of the generation furthest
 * behind. What it has passed is visible in every answer.
 */
export class LiveProgress implements ReaderProgress {
  readonly #database: Database;
  readonly #live: LiveGenerations;

  constructor(database: Database, live: LiveGenerations) {
    this.#database = database;
    this.#live = live;
  }

  async progress(): Promise<{ readonly projector: readonly Position[]; readonly sink: readonly Position[] }> {
    const { profiles, analytics } = await this.#live.answering();
    const projector = await this.#progress('profiles', profiles);
    return { projector, sink: await this.#progress('analytics', analytics) };
  }

  async #progress(kind: GenerationKind, numbers: readonly number[]): Promise<readonly Position[]> {
    return furthestBehind(await Promise.all(numbers.map((number) => progressOf(this.#database, kind, number))));
  }
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
