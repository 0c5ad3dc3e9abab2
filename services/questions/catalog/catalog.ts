import { KeptAnswers, type KeptAnswersParts } from '../kept-answers.ts';
import { type AnalyticsParts, budgetOf } from '../query-budget.ts';
import { splitObject } from '../../messages/json.ts';
import type { Query } from '../../stores/analytics/analytics-store.ts';
import {
  type CatalogMember,
  type CatalogName,
  eventNamesOf,
  eventNamesQuery,
  exampleTextsQuery,
  MAX_EXAMPLE_CHARS,
  MAX_EXAMPLES,
  propertiesOf,
  propertiesQuery,
  storedRowsOf,
  storedRowsQuery,
  traitsOf,
  traitsQuery,
} from '../../stores/analytics/catalog.ts';
import type { Project } from '../../stores/projects/project-store.ts';

const MAX_NAMES = 10_000;
const MAX_PROPERTIES = 1_000;

/** Up to this many stored rows are counted one by one, so that each message counts once: some 40 ms. */
const EXACT_ROWS = 500_000;
const EXAMPLE_EVENTS = 100;

/** A new event is in analytics within seconds, and in the catalog within a minute. */
const KEPT_MS = 30_000;
/** The most that an answer is kept where it took long to find. */
const MOST_KEPT_MS = 600_000;
/** Entries of all kept lists together; each is at most some 3 KB. */
const KEPT_ENTRIES = 50_000;

/** Names or members, the most frequent first. */
export interface CatalogList<T extends CatalogName> {
  readonly entries: readonly T[];
  /** Whether each message counts once. Otherwise `count` may also count copies that are not merged yet. */
  readonly isExact: boolean;
  /** Whether there are more than are listed. */
  readonly isTruncated: boolean;
}

export interface EventProperties extends CatalogList<CatalogMember> {
  readonly event: CatalogName;
}

/** An answer that lacks a name somebody asks about is found again after this. */
const KEPT_WITHOUT_MS = 2_000;
/** Where certain names are wanted, an answer is kept for a multiple of what it took to find: that takes 5 % of the time at most. */
const KEPT_TIMES = 20;

export interface CatalogParts extends AnalyticsParts, Pick<KeptAnswersParts, 'newestErasure' | 'monotonicMs'> {}

/**
 * The names of a project's events, properties and traits. An answer is kept for half a minute, or longer where certain names
 * are all that is wanted.
 *
 * @throws TidemarkError from all methods, as `AnalyticsReader.ask`. A failure is not kept.
 */
export class Catalog {
  readonly #parts: CatalogParts;
  readonly #kept: KeptAnswers<unknown>;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
    const { newestErasure, monotonicMs } = parts;
    this.#kept = new KeptAnswers({ keptMs: MOST_KEPT_MS, mostEntries: KEPT_ENTRIES, newestErasure, monotonicMs });
  }

  /** @param wanted Names that a kept answer should have, unless it is quite new. */
  events(project: Project, wanted: readonly string[] = []): Promise<CatalogList<CatalogName>> {
    return this.#keptWith(wanted, [project.id, 'events'], async () => {
      const [rows, isExact] = await this.#ask(project, storedRowsQuery('track_rows', project.id), (exact) =>
        eventNamesQuery(project.id, MAX_NAMES + 1, exact),
      );
      return listOf(eventNamesOf(rows), MAX_NAMES, isExact);
    });
  }

  /** @param wanted As of `events`. */
  traits(project: Project, wanted: readonly string[] = []): Promise<CatalogList<CatalogMember>> {
    return this.#keptWith(wanted, [project.id, 'traits'], async () => {
      const [rows, isExact] = await this.#ask(project, storedRowsQuery('trait_rows', project.id), (exact) =>
        traitsQuery(project.id, MAX_NAMES + 1, exact),
      );
      return listOf(traitsOf(rows), MAX_NAMES, isExact);
    });
  }

  /** Undefined where the project has no such event. @param wanted As of `events`. */
  properties(project: Project, event: string, wanted: readonly string[] = []): Promise<EventProperties | undefined> {
    return this.#keptWith(wanted, [project.id, 'properties', event], () => this.#propertiesOf(project, event));
  }

  /** @returns The rows, and whether each message counts once in them. */
  async #ask(
    project: Project,
    stored: Query,
    query: (isExact: boolean) => Query,
  ): Promise<readonly [rows: readonly unknown[], isExact: boolean]> {
    const budget = budgetOf(this.#parts, project);
    const isExact = storedRowsOf(await budget.ask(stored)) <= EXACT_ROWS;
    return [await budget.ask(query(isExact)), isExact];
  }

  async #propertiesOf(project: Project, event: string): Promise<EventProperties | undefined> {
    const [rows, isExact] = await this.#ask(project, storedRowsQuery('track_rows', project.id, event), (exact) =>
      propertiesQuery(project.id, event, MAX_PROPERTIES + 1, exact),
    );
    const found = propertiesOf(event, rows);
    if (found === undefined) return undefined;
    const texts = await budgetOf(this.#parts, project).ask<{ properties_text: string }>(
      exampleTextsQuery(project.id, found.event, EXAMPLE_EVENTS),
    );
    const examples = examplesIn(texts.map(({ properties_text: text }) => text));
    const list = listOf(found.properties, MAX_PROPERTIES, isExact);
    const entries = list.entries.map((property) => {
      return { ...property, examples: [...(examples.get(property.name) ?? [])].sort() };
    });
    return { ...list, event: found.event, entries };
  }

  /** The kept answer, or a newer one where it lacks a name that may have come since. */
  async #keptWith<T extends CatalogList<CatalogName> | undefined>(
    wanted: readonly string[],
    key: readonly [string, ...string[]],
    find: () => Promise<T>,
  ): Promise<T> {
    if (wanted.length === 0) return this.#keptOr(key, find, () => KEPT_MS);
    const kept = await this.#keptOr(key, find, (tookMs) => Math.max(KEPT_MS, KEPT_TIMES * tookMs));
    const names = new Set(kept?.entries.map(({ name }) => name));
    if (wanted.every((name) => names.has(name))) return kept;
    return this.#keptOr(key, find, (tookMs) => Math.max(KEPT_WITHOUT_MS, KEPT_TIMES * tookMs));
  }

  async #keptOr<T extends CatalogList<CatalogName> | undefined>(
    key: readonly [string, ...string[]],
    find: () => Promise<T>,
    keptMs: (tookMs: number) => number,
  ): Promise<T> {
    const findOne = async () => {
      const found = await find();
      // An empty answer takes room, too.
      return { answer: found, entries: (found?.entries.length ?? 0) + 1 };
    };
    return (await this.#kept.of(key, findOne, keptMs)) as T;
  }
}

function listOf<T extends CatalogName>(entries: readonly T[], atMost: number, isExact: boolean): CatalogList<T> {
  return { entries: entries.slice(0, atMost), isExact, isTruncated: entries.length > atMost };
}

/** Some different values of each property, as JSON texts. */
function examplesIn(texts: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const examples = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [name, value] of splitObject(text)) {
      let values = examples.get(name);
      if (values === undefined) examples.set(name, (values = new Set()));
      if (values.size < MAX_EXAMPLES) values.add(cutExample(value));
    }
  }
  return examples;
}

/** In code points, of which each is one or two UTF-16 units. */
function cutExample(text: string): string {
  if (text.length <= MAX_EXAMPLE_CHARS) return text;
  return Array.from(text.slice(0, 2 * MAX_EXAMPLE_CHARS))
    .slice(0, MAX_EXAMPLE_CHARS)
    .join('');
}
