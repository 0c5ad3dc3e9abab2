import type { Position } from '../../services/event-log/event-log.ts';
import type { ReaderStep } from '../../services/stores/profiles/profile-store.ts';
import { SqlProfileStore } from '../../services/stores/profiles/sql-profile-store.ts';
import { hasCode } from '../../services/runtime/errors.ts';

/** A projector's view of a real store: can be held in the middle of a batch, and remembers what was written. */
export class WatchedProfiles extends SqlProfileStore {
  /** The steps of every batch that the store took. */
  readonly written: ReaderStep[] = [];
  /** Batches that the store refused because another projector had moved a partition of theirs. */
  refused = 0;
  /** Batches that wait to be written. */
  waiting = 0;
  #gate: PromiseWithResolvers<void> | undefined;

  /** Batches wait from now on, until `release`. */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  override async write(...[steps, ...rest]: Parameters<SqlProfileStore['write']>): Promise<void> {
    this.waiting++;
    await this.#gate?.promise;
    this.waiting--;
    try {
      await super.write(steps, ...rest);
      this.written.push(...steps);
    } catch (error) {
      if (hasCode(error, 'POSITION_MOVED')) this.refused++;
      throw error;
    }
  }
}

/**
 * What is wrong with the steps of all projectors together: each partition's must follow one another from its beginning, each
 * from where the one before it ended. A step that two took would be there twice, one that none took is a gap.
 */
export function brokenSteps(steps: readonly ReaderStep[]): readonly string[] {
  const stands = new Map<string, Position>();
  const broken: string[] = [];
  for (const { from, to } of steps.toSorted((a, b) => Number(a.from.offset - b.from.offset))) {
    const place = `${from.topic}/${from.partition}`;
    const { offset, identity } = stands.get(place) ?? { offset: 0n, identity: '' };
    if (from.offset !== offset || from.identity !== identity) broken.push(`${place}: ${offset}, then ${from.offset}`);
    stands.set(place, to);
  }
  return broken;
}
