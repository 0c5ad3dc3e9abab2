/**
 * What a definition names that no message of the project has had: a warning of each, by the kept answers of the catalog.
 * It refuses nothing. However many conditions there are, it asks for the events, for the traits, and for the properties of
 * `MAX_EVENTS` events.
 */
import { pause } from '../../runtime/pause.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { CatalogMember, CatalogName } from '../../stores/analytics/catalog.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { type Audience, type EventCondition, type Member, ownConditions } from '../definition/audience.ts';
import type { LocatedCondition } from '../definition/audience.ts';
import type { Warning } from '../definition/reading.ts';
import { MAX_PROBLEMS } from '../../messages/unacceptable.ts';
import type { Catalog, CatalogList } from './catalog.ts';
import { type Seen, seenAt, unseenNumbers, unseenValues } from './unseen-values.ts';

const MAX_EVENTS = 8;
/** An answer does not wait longer for them: the catalog of a large project takes seconds when nothing is kept. */
const WAIT_MS = 2_000;

/** What warnings of definitions need. */
export interface WarningParts {
  readonly catalog: CatalogAnswers;
}

type CatalogAnswers = Pick<Catalog, 'events' | 'traits' | 'properties'>;

/** @param path The pointer to the definition in its document. */
export async function unseenIn(
  catalog: CatalogAnswers,
  project: Project,
  definition: Audience,
  path: string,
): Promise<readonly Warning[]> {
  const waiting = new AbortController();
  try {
    const none = pause(WAIT_MS, waiting.signal).then(() => []);
    return await Promise.race([findUnseen({ catalog, project }, definition, path), none]);
  } catch (error) {
    if (error instanceof TidemarkError) return [];
    throw error;
  } finally {
    waiting.abort();
  }
}

interface ProjectCatalog extends WarningParts {
  readonly project: Project;
}

async function findUnseen(from: ProjectCatalog, definition: Audience, path: string): Promise<readonly Warning[]> {
  const conditions = ownConditions(definition, path);
  const events = conditions.flatMap(eventsIn);
  const traits = conditions.flatMap(({ path: at, condition }) =>
    condition.kind === 'trait' ? [{ at, member: condition }] : [],
  );
  const found = await Promise.all([unseenTraits(from, traits), unseenEvents(from, events)]);
  return found.flat().slice(0, MAX_PROBLEMS);
}

interface LocatedEvent {
  readonly at: string;
  readonly event: EventCondition;
}

/** The event of a condition, and the later ones. */
function eventsIn({ path, condition }: LocatedCondition): readonly LocatedEvent[] {
  if (condition.kind !== 'event') return [];
  const { sequence } = condition;
  const own = { at: path, event: condition };
  if (sequence === null) return [own];
  const key = sequence.isFollowed ? 'followed_by' : 'not_followed_by';
  return [own, ...eventsIn({ path: `${path}/${key}`, condition: sequence.later })];
}

interface LocatedMember {
  readonly at: string;
  readonly member: Member;
}

async function unseenTraits(
  { catalog, project }: ProjectCatalog,
  traits: readonly LocatedMember[],
): Promise<readonly Warning[]> {
  if (traits.length === 0) return [];
  const known = [new Names(await catalog.traits(project, firstKeys(traits)))];
  return traits.flatMap(({ at, member }) =>
    unseenAt(`${at}/trait`, member.path, { known, absent: 'no user has a trait of that name' }, (seen) =>
      unseenValues(at, member, seen),
    ),
  );
}

async function unseenEvents(from: ProjectCatalog, events: readonly LocatedEvent[]): Promise<readonly Warning[]> {
  const named = [...new Set(events.flatMap(({ event }) => event.events ?? []))];
  if (named.length === 0) return [];
  const known = new Names(await from.catalog.events(from.project, named));
  const unknown = events.flatMap(({ at, event: { events: names } }) =>
    (names ?? []).flatMap((name, i) => {
      const pointer = `${at}/event${names?.length === 1 ? '' : `/${i}`}`;
      return known.has(name) ? [] : unknownName(pointer, name, [known], 'no event of that name was recorded');
    }),
  );
  const there = events.filter(({ event }) => event.events?.every((name) => known.has(name)));
  return [...unknown, ...(await unseenProperties(from, there))];
}

/** @param events Those that there are, of which the first `MAX_EVENTS` names are looked at. */
async function unseenProperties(
  { catalog, project }: ProjectCatalog,
  events: readonly LocatedEvent[],
): Promise<readonly Warning[]> {
  const narrowed = events.filter(({ event: { where, measure } }) => where.length > 0 || measure !== null);
  const names = [...new Set(narrowed.flatMap(({ event }) => event.events ?? []))].slice(0, MAX_EVENTS);
  const wanted = firstKeys(narrowed.flatMap(membersIn));
  const lists = await Promise.all(names.map((name) => catalog.properties(project, name, wanted)));
  const byName = new Map(names.map((name, i) => [name, new Names(lists[i] ?? ALL_UNKNOWN)]));
  return narrowed.flatMap(({ at, event }) => {
    const known = (event.events ?? []).flatMap((name) => byName.get(name) ?? []);
    if (known.length !== event.events?.length) return [];
    const of = {
      known,
      absent: `${event.events.map((name) => JSON.stringify(name)).join(' and ')} has no such property`,
    };
    const { measure } = event;
    return [
      ...membersIn({ at, event }).flatMap(({ at: pointer, member }) =>
        unseenAt(`${pointer}/property`, member.path, of, (seen) => unseenValues(pointer, member, seen)),
      ),
      ...(measure === null
        ? []
        : unseenAt(`${at}/measure/${measure.of}`, measure.path, of, (seen, pointer) =>
            unseenNumbers(pointer, measure, seen),
          )),
    ];
  });
}

const ALL_UNKNOWN: CatalogList<CatalogMember> = { entries: [], isExact: true, isTruncated: true };

function membersIn({ at, event: { where } }: LocatedEvent): readonly LocatedMember[] {
  return where.map((member, i) => ({ at: `${at}/where/${i}`, member }));
}

function firstKeys(members: readonly LocatedMember[]): readonly string[] {
  return members.map(({ member }) => member.path[0] ?? '');
}

interface Within {
  readonly known: readonly Names<CatalogMember>[];
  /** What is said of a name that none of them has. */
  readonly absent: string;
}

/** The warning of a name that is not there, or those of its values. */
function unseenAt(
  pointer: string,
  path: Member['path'],
  { known, absent }: Within,
  ofValues: (seen: Seen, pointer: string) => readonly Warning[],
): readonly Warning[] {
  const [key = ''] = path;
  if (!known.some((names) => names.has(key)))
    return unknownName(path.length === 1 ? pointer : `${pointer}/0`, key, known, absent);
  const seen = seenAt(
    known.flatMap((names) => names.get(key) ?? []),
    path,
  );
  return seen === undefined ? [] : ofValues(seen, pointer);
}

/** Names the one that differs in upper and lower case, blanks and punctuation alone. Nothing is said where names may be missing. */
function unknownName(
  path: string,
  name: string,
  known: readonly Names<CatalogName>[],
  absent: string,
): readonly Warning[] {
  if (known.some(({ isTruncated }) => isTruncated)) return [];
  const message = `names ${JSON.stringify(name)}, and ${absent}`;
  const [like] = known.flatMap((names) => names.like(name) ?? []);
  if (like === undefined) return [{ path, message }];
  const instead = JSON.stringify(like);
  return [{ path, message: `${message}; ${instead} is a name that there is: upper and lower case count`, instead }];
}

/** A list of the catalog by its names. */
class Names<T extends CatalogName> {
  readonly isTruncated: boolean;
  readonly #byName: ReadonlyMap<string, T>;
  #byPlain: Map<string, string> | undefined;

  constructor({ entries, isTruncated }: CatalogList<T>) {
    this.isTruncated = isTruncated;
    this.#byName = new Map(entries.map((entry) => [entry.name, entry]));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  get(name: string): T | undefined {
    return this.#byName.get(name);
  }

  /** A name with the same letters and digits. */
  like(name: string): string | undefined {
    this.#byPlain ??= new Map([...this.#byName.keys()].map((one) => [plain(one), one]));
    return plain(name) === '' ? undefined : this.#byPlain.get(plain(name));
  }
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
