/** Saved audiences that refer to others, by the condition `audience`. */
import { parseBody } from '../../messages/json.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { EventLoopYielder, mapYielding } from '../../runtime/event-loop-yielder.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { Audience } from '../definition/audience.ts';
import { type ReadDefinition, readDefinition } from '../definition/definition.ts';
import { MAX_GROUP_DEPTH } from '../definition/limits.ts';
import { type AudienceDefinitions, isJsonObject } from '../definition/reading.ts';
import type { SavedAudience } from './audience-store.ts';

export type Referable = Pick<SavedAudience, 'id' | 'name' | 'definition'>;

// In JSON a quote within a text is escaped, so that this is always a member.
const REFERENCE = /"audience"\s*:\s*"(\w{1,64})"/g;

/** The ids to which a definition refers. */
export function referencesIn(definition: string): readonly string[] {
  return [...new Set(Array.from(definition.matchAll(REFERENCE), ([, id = '']) => id))];
}

/**
 * The same definition, as `parseBody` gives it, with other references. What is no definition is left as it is.
 *
 * @param change Is given each reference with the pointer to it.
 */
export function withReferences(node: unknown, change: (reference: string, path: string) => string, path = ''): unknown {
  if (Array.isArray(node)) return node.map((part, index) => withReferences(part, change, `${path}/${index}`));
  if (!isJsonObject(node)) return node;
  const changed = Object.entries(node).map(([key, value]) => {
    const isReference = key === 'audience' && typeof value === 'string';
    return [key, isReference ? change(value, `${path}/audience`) : withReferences(value, change, `${path}/${key}`)];
  });
  return Object.fromEntries(changed) as unknown;
}

/** What finds the audiences: `SqlAudienceStore`, which imports this file. */
interface Lookup {
  findAll(projectId: string, ids: readonly string[]): Promise<readonly Referable[]>;
}

/**
 * The audiences to which definitions refer, and those to which they do, as deep as a chain of them may be. Each is read and
 * parsed once, however many refer to it.
 */
export async function findReferences(
  store: Lookup,
  projectId: string,
  definitions: readonly string[],
): Promise<AudienceDefinitions> {
  const yielder = new EventLoopYielder();
  const found = new Map<string, ReturnType<AudienceDefinitions['get']>>();
  let wanted = new Set(definitions.flatMap(referencesIn));
  for (let depth = 0; wanted.size > 0 && depth <= MAX_GROUP_DEPTH; depth++) {
    const next = new Set<string>();
    for (const { id, name, definition } of await store.findAll(projectId, [...wanted])) {
      found.set(id, { name, definition: parsedDefinition(definition) });
      for (const reference of referencesIn(definition)) next.add(reference);
      if (yielder.isOver()) await yielder.next();
    }
    wanted = next.difference(found);
  }
  return found;
}

export function parsedDefinition(text: string): unknown {
  const parsed = parseBody(text);
  return parsed.ok ? parsed.value.exact : undefined;
}

/** A caller may write any letter of a body as an escape. */
export function withoutEscapes(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    // Whoever reads it says what is wrong with it.
    return '';
  }
}

type Timezone = Pick<Project, 'timezone'>;

/** @throws TidemarkError as `definitionsOf`. */
export async function definitionOf(store: Lookup, saved: SavedAudience, project: Timezone): Promise<Audience> {
  return expectRead(readWith(await findReferences(store, saved.projectId, [saved.definition]), saved, project));
}

/**
 * Those of several audiences of a project, in their order.
 *
 * @throws TidemarkError `STORE_REJECTED` if a newer version saved a definition that this one cannot read; `QUERY_LIMIT` if what
 *   it refers to has become more than it may.
 */
export async function definitionsOf(
  store: Lookup,
  saved: readonly SavedAudience[],
  project: Timezone & Pick<Project, 'id'>,
): Promise<readonly Audience[]> {
  return (await readAll(store, saved, project)).map(expectRead);
}

/** The same, with what is wrong with those that cannot be read. */
export async function readAll(
  store: Lookup,
  saved: readonly SavedAudience[],
  project: Timezone & Pick<Project, 'id'>,
): Promise<readonly ReadDefinition[]> {
  const texts = saved.map(({ definition }) => definition);
  const audiences = await findReferences(store, project.id, texts);
  return mapYielding(saved, (one) => readWith(audiences, one, project));
}

type Definition = Pick<SavedAudience, 'definition'>;

function readWith(audiences: AudienceDefinitions, { definition }: Definition, { timezone }: Timezone): ReadDefinition {
  const parsed = parseBody(definition);
  return parsed.ok ? readDefinition(parsed.value.exact, { timezone, audiences, isSaved: true }) : parsed;
}

function expectRead(read: ReadDefinition): Audience {
  if (read.ok) return read.definition;
  const { path = '', message } = read.problems[0] ?? {};
  if (path.includes('/audience'))
    throw new TidemarkError('QUERY_LIMIT', `the audience that is referred to at ${path} ${message}`);
  throw new TidemarkError('STORE_REJECTED', `a saved definition is not valid: ${message}`);
}

/** Names of saved audiences, by their ids. */
export type AudienceNames = ReadonlyMap<string, string>;

/** The names of the audiences to which these definitions refer, as far as they are there. */
export async function namesReferredTo(
  store: Lookup,
  projectId: string,
  saved: readonly Definition[],
): Promise<AudienceNames> {
  const ids = new Set(saved.flatMap(({ definition }) => referencesIn(definition)));
  const found = ids.size === 0 ? [] : await store.findAll(projectId, [...ids]);
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** What a saved audience asks, for its description: others are named, by their ids where they are gone, and not read. */
export function readSaved(saved: Definition, project: Timezone, names: AudienceNames): ReadDefinition {
  const audiences: AudienceDefinitions = {
    get: (id) => ({ name: names.get(id) ?? id, definition: { event: { any: true } } }),
  };
  return readWith(audiences, saved, project);
}

/**
 * Refuses a definition that refers to what is not there, or, by however many others, to its own audience.
 *
 * @param all The audiences of the project. @param id Null for one that is not saved yet.
 * @throws TidemarkError `AUDIENCE_UNKNOWN`; `AUDIENCE_CIRCLE`, with the names of the circle.
 */
export function refuseReferences(all: readonly Referable[], id: string | null, definition: string): void {
  const byId = new Map(all.map((one) => [one.id, one]));
  const visited = new Set<string>();
  const visit = (text: string, names: readonly string[]): void => {
    for (const reference of referencesIn(text)) {
      if (visited.has(reference)) continue;
      visited.add(reference);
      const next = byId.get(reference);
      if (next === undefined)
        throw new TidemarkError('AUDIENCE_UNKNOWN', `There is no saved audience ${JSON.stringify(reference)}.`);
      const path = [...names, next.name];
      if (reference === id)
        throw new TidemarkError('AUDIENCE_CIRCLE', `The audience refers to itself: ${path.join(' → ')}.`);
      visit(next.definition, path);
    }
  };
  visit(definition, id === null ? [] : [byId.get(id)?.name ?? id]);
}

/** @throws TidemarkError `AUDIENCE_USED`, with the names of those that refer to the audience. */
export function refuseUsed(all: readonly Referable[], id: string): void {
  const users = all.filter((one) => referencesIn(one.definition).includes(id)).map(({ name }) => JSON.stringify(name));
  if (users.length > 0)
    throw new TidemarkError('AUDIENCE_USED', `Other audiences refer to this one: ${users.join(', ')}.`);
}
