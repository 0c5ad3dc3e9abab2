/** The names, types and examples of the project's data, loaded as they are needed. */
import { signal } from '@preact/signals';
import type { Raw } from '../../api/types.ts';
import { ApiError, ask, operation, type Operation } from '../../api/client.ts';
import type { Answer } from '../../../../schemas/operations.ts';
import { findKnown, type KnownName, knownNames, type Names, type Suggested, suggestedAmong } from './known.ts';
import type { AudienceNames } from './sentences/phrase.ts';

/** The most frequent ones: others can be typed. */
const query = { limit: 1_000 };

interface NamesAnswer {
  readonly events?: Answer<'GET /v1/catalog/events'>['events'];
  readonly traits?: Answer<'GET /v1/catalog/traits'>['traits'];
  readonly properties?: Answer<'GET /v1/catalog/events/{name}/properties'>['properties'];
  readonly next_cursor: string | null;
}

const NONE: Names = { names: [], isWhole: false };

export class Catalog {
  /** Undefined until they are loaded. */
  readonly events = signal<Names | undefined>(undefined);
  readonly traits = signal<Names | undefined>(undefined);
  /** The newest audiences: their names by their ids. */
  readonly audiences = signal<AudienceNames>(new Map());
  readonly #properties = signal<ReadonlyMap<string, Names>>(new Map());
  readonly #loading = new Map<string, Promise<Names>>();
  readonly #stop = new AbortController();

  load(): void {
    void this.#names(operation('GET /v1/catalog/events', { query })).then((names) => (this.events.value = names));
    void this.#names(operation('GET /v1/catalog/traits', { query })).then((names) => (this.traits.value = names));
    void this.#ask(operation('GET /v1/audiences', { query })).then((page) => {
      this.audiences.value = new Map(page?.audiences.map(({ id, name }) => [id, name]));
    });
  }

  close(): void {
    this.#stop.abort();
  }

  /** Properties of an event that the project has; none for another name. */
  async propertiesOf(event: string): Promise<Names> {
    if (findKnown(this.events.peek()?.names ?? [], [event]) === undefined) return NONE;
    const path = { name: event };
    const asked = operation('GET /v1/catalog/events/{name}/properties', { path, query });
    const loading = this.#loading.get(event) ?? this.#names(asked);
    this.#loading.set(event, loading);
    const names = await loading;
    if (!this.#properties.peek().has(event)) {
      this.#properties.value = new Map([...this.#properties.peek(), [event, names]]);
    }
    return names;
  }

  /** The properties of an event as far as they are loaded; asks for them where they are not. */
  knownProperties(event: string): Names | undefined {
    const known = this.#properties.value.get(event);
    if (known === undefined && this.events.value !== undefined) void this.propertiesOf(event);
    return known;
  }

  /** What is known of these. */
  namesFor(suggested: Suggested): readonly KnownName[] {
    if (suggested.of === 'events') return this.events.value?.names ?? [];
    const { event } = suggested;
    return suggestedAmong(
      (event === undefined ? this.traits.value : this.knownProperties(event))?.names ?? [],
      suggested,
    );
  }

  async #names(asked: Operation<NamesAnswer>): Promise<Names> {
    const answer = await this.#ask(asked);
    if (answer === undefined) return NONE;
    const names = answer.events ?? answer.traits ?? answer.properties ?? [];
    return { names: knownNames(names), isWhole: answer.next_cursor === null };
  }

  /** Suggestions are no reason to disturb anybody: where they cannot be had, there are none. */
  async #ask<A>(asked: Operation<A>): Promise<Raw<A> | undefined> {
    try {
      return await ask({ ...asked, signal: this.#stop.signal });
    } catch (error) {
      if (error instanceof ApiError || this.#stop.signal.aborted) return undefined;
      throw error;
    }
  }
}
