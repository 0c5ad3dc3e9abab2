import { formatMicros } from '../../messages/timestamp.ts';
import type { Message } from '../../messages/message.ts';
import type { Found } from './read-dead-letters.ts';
import { errorCodeOf } from './selection.ts';

/** How many dead letters have each value; the most frequent first. */
export type FacetCounts = readonly { readonly value: string | null; readonly count: number }[];

const FACETS = ['reader', 'topic', 'code', 'project', 'day'] as const;

export type Facets = Readonly<Record<(typeof FACETS)[number], FacetCounts>>;

// More are counted together as null.
const MOST_VALUES = 1_000;
const MOST_GIVEN = 50;

/** Counts dead letters, one for each reader and attempt, by what operators choose from. */
export class FacetCounter {
  readonly #counts = new Map(FACETS.map((facet) => [facet, new Map<string | null, number>()]));

  add({ letter }: Found, message: Message | undefined): void {
    this.#count('reader', letter.reader);
    this.#count('topic', letter.topic);
    this.#count('code', errorCodeOf(letter) ?? null);
    this.#count('project', message?.projectId ?? null);
    this.#count('day', formatMicros(letter.failedAt).slice(0, 10));
  }

  get facets(): Facets {
    const entries = [...this.#counts].map(([facet, counts]): [string, FacetCounts] => {
      const all = [...counts].map(([value, count]) => ({ value, count }));
      return [facet, all.toSorted((one, other) => other.count - one.count).slice(0, MOST_GIVEN)];
    });
    return Object.fromEntries(entries) as Facets;
  }

  #count(facet: (typeof FACETS)[number], value: string | null): void {
    const counts = this.#counts.get(facet) as Map<string | null, number>;
    const counted = counts.has(value) || counts.size < MOST_VALUES ? value : null;
    counts.set(counted, (counts.get(counted) ?? 0) + 1);
  }
}
