/** Which project a request is about: its key's, or the one that it names by `?project=` or the header `Tidemark-Project`. */
import type { KeyRing, Project } from '../../stores/projects/project-store.ts';
import type { Call } from '../call.ts';
import type { Refusal } from '../problems.ts';

/** The name of the query parameter, known on every route that needs a key. */
export const PROJECT_PARAMETER = 'project';

const HEADER = 'tidemark-project';

export const NO_PROJECT: Refusal = {
  refused: 'not-found',
  detail: 'This key opens no project of this id or name. Where several have the name, only an id names one.',
};

/**
 * Sets `call.namedProject` where the key belongs to no project. Answers without a promise where the project is known.
 *
 * Refuses 404 for a project that does not exist or is not the key's, and 400 where a route of a project is opened by an
 * admin key and no project is named, unless the route may be about the installation. The routes of the installation (scope
 * `admin`) read `project` themselves.
 */
export function findProject(call: Call, keys: KeyRing): Refusal | undefined | Promise<Refusal | undefined> {
  const { key, route } = call;
  if (key === undefined || route === undefined || route.scope === 'admin') return undefined;
  // Most requests name none: they cost three comparisons. A name may be percent-encoded, too.
  const { search } = call;
  const isNamed = call.headers[HEADER] !== undefined || search.includes(PROJECT_PARAMETER) || search.includes('%');
  const unnamed = key.project === null && route.isProjectOptional !== true ? NONE_NAMED : undefined;
  if (!isNamed) return unnamed;
  const named = nameIn(call);
  if (named === undefined) return unnamed;
  if (typeof named !== 'string') return named;
  if (key.project !== null) return named === key.project.id || named === key.project.name ? undefined : NO_PROJECT;
  const found = keys.findProject(named);
  return found instanceof Promise ? found.then((project) => keep(call, project)) : keep(call, found);
}

function keep(call: Call, project: Project | undefined): Refusal | undefined {
  if (project === undefined) return NO_PROJECT;
  call.namedProject = project;
  return undefined;
}

/** The one name that the request gives; undefined if none. */
function nameIn({ query, headers }: Call): string | undefined | Refusal {
  const header = headers[HEADER];
  // Node reads headers as Latin-1; names are sent in UTF-8.
  const given = typeof header === 'string' ? [Buffer.from(header, 'latin1').toString('utf8')] : [];
  const names = new Set([...query.getAll(PROJECT_PARAMETER), ...given]);
  if (names.size > 1) return badName('may name one project only');
  const [name] = names;
  return name === '' ? badName('is empty: give the id or the name of a project') : name;
}

function badName(message: string): Refusal {
  return { refused: 'invalid-parameter', detail: `${PROJECT_PARAMETER} ${message}` };
}

const NONE_NAMED = badName(
  'is missing: a key of the installation names the project, by ?project= or the header Tidemark-Project',
);
