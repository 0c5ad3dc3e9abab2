import type { Position, TopicPartition } from '../../services/event-log/event-log.ts';
import type { Profile } from '../../services/stores/profiles/profile.ts';
import type { ProfileStore, ReaderStep } from '../../services/stores/profiles/profile-store.ts';
import { hasCode } from '../../services/runtime/errors.ts';

/** A projector's view of a real store: can be held in the middle of a batch, and remembers what was written. */
export class WatchedProfiles implements ProfileStore {
  /** The steps of every batch that the store took. */
  readonly written: ReaderStep[] = [];
  /** Batches that the store refused because another projector had moved a partition of theirs. */
  refused = 0;
  /** Batches that wait to be written. */
  waiting = 0;
  readonly #store: ProfileStore;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(store: ProfileStore) {
    this.#store = store;
  }

  /** Batches wait from now on, until `release`. */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  seenWith(...args: Parameters<ProfileStore['seenWith']>): Promise<readonly string[]> {
    return this.#store.seenWith(...args);
  }

  findPage(...args: Parameters<ProfileStore['findPage']>): ReturnType<ProfileStore['findPage']> {
    return this.#store.findPage(...args);
  }

  traitsPage(...args: Parameters<ProfileStore['traitsPage']>): ReturnType<ProfileStore['traitsPage']> {
    return this.#store.traitsPage(...args);
  }

  findWhole(...args: Parameters<ProfileStore['findWhole']>): ReturnType<ProfileStore['findWhole']> {
    return this.#store.findWhole(...args);
  }

  async write(...[steps, ...rest]: Parameters<ProfileStore['write']>): Promise<void> {
    this.waiting++;
    await this.#gate?.promise;
    this.waiting--;
    try {
      await this.#store.write(steps, ...rest);
      this.written.push(...steps);
    } catch (error) {
      if (hasCode(error, 'POSITION_MOVED')) this.refused++;
      throw error;
    }
  }

  positions(partitions: readonly TopicPartition[]): Promise<readonly Position[]> {
    return this.#store.positions(partitions);
  }

  find(projectId: string, userKey: string): Promise<Profile | undefined> {
    return this.#store.find(projectId, userKey);
  }

  areRepeats(...args: Parameters<ProfileStore['areRepeats']>): Promise<readonly boolean[]> {
    return this.#store.areRepeats(...args);
  }

  noteAhead(steps: readonly ReaderStep[]): Promise<void> {
    return this.#store.noteAhead(steps);
  }

  merge(...args: Parameters<ProfileStore['merge']>): Promise<void> {
    return this.#store.merge(...args);
  }

  mergeAhead(...args: Parameters<ProfileStore['mergeAhead']>): Promise<void> {
    return this.#store.mergeAhead(...args);
  }

  probe(steps: readonly ReaderStep[]): Promise<void> {
    return this.#store.probe(steps);
  }

  forgetRepeats(windowMs: number, readAtMs: number): Promise<number> {
    return this.#store.forgetRepeats(windowMs, readAtMs);
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
