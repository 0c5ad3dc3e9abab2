/** What subcommands have a service do, over HTTP: the one that is named or runs here, else one in this process. */
import { type Answer, operation } from '../../../schemas/operations.ts';
import { askFor, type AskOptions, type ServiceRequest } from './ask.ts';
import { onePage } from './pages.ts';
import type { ServiceClient } from './service-client.ts';
import { type ServiceContext, withService, type WithServiceOptions } from './with-service.ts';

type Options = Pick<AskOptions, 'onProgress'>;

/** @throws as `withService` and `ask`. */
export function carryOut<T>(context: ServiceContext, request: ServiceRequest<T>, options: Options = {}): Promise<T> {
  const { signal } = context;
  const { method, path, streams = false } = request;
  const ask = (client: ServiceClient): Promise<T> => askFor(client, request, { ...options, signal });
  return withService(context, ask, carriesOut(`${method} ${path}`, streams));
}

const OF_DATABASE = { needs: ['profilesUrl'] } as const;
const OF_DEAD_LETTERS = { needs: ['eventLogUrl', 'profilesUrl'] } as const;

/** What a service needs that carries out an operation. */
export function carriesOut(name: string, streams: boolean): WithServiceOptions {
  const [method, path = ''] = name.split(' ');
  if (path.startsWith('/v1/admin/dead-letters')) return OF_DEAD_LETTERS;
  if (/^\/v1\/(audiences|endpoints)\b/.test(path)) return { needs: ['profilesUrl', 'analyticsUrl'] };
  // The deletion of a project, which is streamed, needs every store.
  const isOfDatabase = !streams && /^\/v1\/admin\/(projects|keys)\b/.test(path);
  const makesFolder = method === 'POST' && path === '/v1/admin/projects';
  return { needs: isOfDatabase ? ['profilesUrl'] : ['eventLogUrl', 'profilesUrl', 'analyticsUrl'], makesFolder };
}

export type ProjectInList = Answer<'GET /v1/admin/projects'>['projects'][number];

const PAGE_LIMIT = 1_000;
const ALL = { limit: Infinity, pageLimit: PAGE_LIMIT } as const;

/** All of them, as if they were one page. */
export function listProjects(context: ServiceContext): Promise<Answer<'GET /v1/admin/projects'>> {
  return withService(context, (client) => projectsOf(client, context), OF_DATABASE);
}

function projectsOf(client: ServiceClient, { signal }: ServiceContext): Promise<Answer<'GET /v1/admin/projects'>> {
  return onePage(ALL, (limit, cursor) =>
    askFor(client, operation('GET /v1/admin/projects', { query: { limit, cursor } }), { signal }),
  );
}

type Keys = Answer<'GET /v1/admin/keys'>;

/** Those of a project; of all projects and the installation where none is named. Newest first, as if they were one page. */
export function listKeys(context: ServiceContext, project: string | undefined): Promise<Keys> {
  const { signal } = context;
  const keysOf = (client: ServiceClient, id: string | null): Promise<Keys> =>
    onePage(ALL, (limit, cursor) => {
      const query = { limit, cursor };
      const request =
        id === null
          ? operation('GET /v1/admin/keys', { query })
          : operation('GET /v1/admin/projects/{id}/keys', { path: { id }, query });
      return askFor(client, request, { signal });
    });
  const list = async (client: ServiceClient): Promise<Keys> => {
    if (project !== undefined) return keysOf(client, project);
    const { projects } = await projectsOf(client, context);
    const lists = await Promise.all([...projects.map(({ id }) => id), null].map((id) => keysOf(client, id)));
    const keys = lists.flatMap((one) => one.keys);
    const sorted = keys.toSorted(
      (one, other) => compare(other.created_at, one.created_at) || compare(other.id, one.id),
    );
    return { keys: sorted, next_cursor: null };
  };
  return withService(context, list, OF_DATABASE);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
