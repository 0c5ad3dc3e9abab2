import type { CommandResults, StoreName } from '../../app/commands.ts';
import type { Answer, Body, Query } from '../../../schemas/operations.ts';
import type { Erasure } from '../../maintenance/erasure/erase-project.ts';
import type { ProjectContent } from '../../stores/projects/delete-project.ts';
import { askFor, type AskOptions } from './ask.ts';
import { onePage } from './pages.ts';
import { operation, type Sent, type ServiceRequest } from './operation.ts';
import type { ServiceClient } from './service-client.ts';
import { type ServiceContext, withService } from './with-service.ts';

/** The commands that a subcommand is made of. */
type CarriedOut = keyof typeof REQUESTS | keyof typeof LISTS;

type ArgumentsOf<Name extends CarriedOut> = Name extends keyof typeof REQUESTS
  ? Parameters<(typeof REQUESTS)[Name]>[0]
  : Name extends keyof typeof LISTS
    ? Parameters<(typeof LISTS)[Name]>[1]
    : never;

export type ResultOf<Name extends CarriedOut> = Name extends keyof typeof REQUESTS
  ? ReturnType<(typeof REQUESTS)[Name]>['answers']
  : Name extends keyof typeof LISTS
    ? Awaited<ReturnType<(typeof LISTS)[Name]>>
    : never;

/**
 * Has a service carry out a command, over HTTP.
 *
 * @throws as `withService` and `ask`.
 */
export async function carryOut<Name extends CarriedOut>(
  context: ServiceContext,
  name: Name,
  args: ArgumentsOf<Name>,
  options: Pick<AskOptions, 'onProgress'> = {},
): Promise<ResultOf<Name>> {
  const { signal } = context;
  const run = (client: ServiceClient): Promise<unknown> => {
    const askOptions = { ...options, signal };
    if (isList(name)) return (LISTS[name] as List<ArgumentsOf<Name>>)(client, args, askOptions);
    const requests: Readonly<Record<string, unknown>> = REQUESTS;
    const requestOf = requests[name] as (args: ArgumentsOf<Name>) => ServiceRequest;
    return askFor(client, requestOf(args), askOptions);
  };
  const [word = ''] = name.split(' ', 1);
  const where = { needs: NEEDS[name] ?? NEEDS[word] ?? EVERYTHING, makesFolder: name === 'project create' };
  return (await withService(context, run, where)) as ResultOf<Name>;
}

type List<Args> = (client: ServiceClient, args: Args, options: AskOptions) => Promise<unknown>;

function isList(name: CarriedOut): name is keyof typeof LISTS {
  return name in LISTS;
}

const EVERYTHING: readonly StoreName[] = ['log', 'codec', 'database', 'analytics'];

/** The stores that commands need, by their name or its first word, where that is not every store. */
const NEEDS: Readonly<Record<string, readonly StoreName[]>> = {
  project: ['database'],
  'project delete': EVERYTHING,
  key: ['database'],
  'dead-letters': ['log', 'codec', 'database'],
};

interface OfProject {
  readonly project?: string | undefined;
}

type Kind = Body<'POST /v1/admin/generations'>['kind'];

interface NamedGeneration {
  readonly kind: Kind;
  readonly number: number;
}

interface Replay extends OfProject {
  readonly kind: Kind;
  readonly rate?: number | undefined;
  readonly as_of?: string | undefined;
}

interface ProjectDeletion extends NamedById {
  /** The name of the project. */
  readonly confirm: string;
}

/** The answer for a project that was empty. */
interface DeletedAtOnce {
  readonly id: string;
  readonly deleted: true;
}

interface DeadLetterEdit extends NamedById {
  /** JSON text. */
  readonly record: string;
  readonly dry_run?: boolean | undefined;
}

/** How each command is asked for. */
const REQUESTS = {
  'project create': (body: Sent<'POST /v1/admin/projects'>) => operation('POST /v1/admin/projects', { body }),
  'project set': ({ id, ...body }: Sent<'PATCH /v1/admin/projects/{id}'> & { readonly id: string }) =>
    operation('PATCH /v1/admin/projects/{id}', { path: { id }, body }),
  'project content': ({ id }: NamedById) => {
    const request = operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { dry_run: 'true' } });
    return request as ServiceRequest<{ readonly id: string; readonly content: ProjectContent }>;
  },
  'project delete': ({ id, confirm }: ProjectDeletion) => {
    const request = operation('DELETE /v1/admin/projects/{id}', { path: { id }, query: { confirm }, streams: true });
    return request as ServiceRequest<Erasure | DeletedAtOnce>;
  },
  'key create': ({ project, ...body }: Sent<'POST /v1/admin/projects/{id}/keys'> & OfProject) => {
    if (project === undefined) return operation('POST /v1/admin/keys', { body: { name: body.name } });
    return operation('POST /v1/admin/projects/{id}/keys', { path: { id: project }, body });
  },
  'key revoke': (path: NamedById) => operation('DELETE /v1/admin/keys/{id}', { path }),
  'dead-letters show': (path: NamedById) => operation('GET /v1/admin/dead-letters/{id}', { path, streams: true }),
  'dead-letters edit': ({ id, record, dry_run: isDryRun }: DeadLetterEdit) => {
    const query = { dry_run: isDryRun };
    return operation('POST /v1/admin/dead-letters/{id}/edit', { path: { id }, query, body: record });
  },
  'dead-letters replay': (body: Sent<'POST /v1/admin/dead-letters/replay'>) =>
    job('dead-letters replay', operation('POST /v1/admin/dead-letters/replay', { body, streams: true })),
  'dead-letters drop': (body: Sent<'POST /v1/admin/dead-letters/drop'>) =>
    job('dead-letters drop', operation('POST /v1/admin/dead-letters/drop', { body, streams: true })),
  'replay plan': ({ rate, ...target }: Replay) => {
    const body = { ...target, rate_limit: rate };
    return job('replay plan', operation('POST /v1/admin/generations', { query: { dry_run: 'true' }, body }));
  },
  'replay build': ({ rate, ...target }: Replay) => {
    const body = { ...target, rate_limit: rate };
    return job('replay build', operation('POST /v1/admin/generations', { body, streams: true }));
  },
  'replay swap': ({ kind, number }: NamedGeneration) => {
    const path = { kind, number: String(number) };
    return job('replay swap', operation('POST /v1/admin/generations/{kind}/{number}/swap', { path, streams: true }));
  },
  'replay rollback': ({ kind, ...body }: Pick<Replay, 'kind' | 'project'>) => {
    const path = { kind, number: 'live' };
    const name = 'POST /v1/admin/generations/{kind}/{number}/rollback';
    return job('replay rollback', operation(name, { path, body, streams: true }));
  },
  'replay drop': ({ kind, number }: NamedGeneration) => {
    const path = { kind, number: String(number) };
    return job('replay drop', operation('POST /v1/admin/generations/{kind}/{number}/drop', { path, streams: true }));
  },
  'replay status': (query: Query<'GET /v1/admin/generations'>) => operation('GET /v1/admin/generations', { query }),
  verify: (body: Sent<'POST /v1/admin/verifications'>) =>
    job('verify', operation('POST /v1/admin/verifications', { body, streams: true })),
} as const;

interface NamedById {
  readonly id: string;
}

/** The last line of a stream has the result of the command, where the document has the job that it became. */
function job<Name extends keyof CommandResults>(
  _name: Name,
  request: ServiceRequest,
): ServiceRequest<CommandResults[Name]> {
  return request as ServiceRequest<CommandResults[Name]>;
}

export type ProjectInList = Answer<'GET /v1/admin/projects'>['projects'][number];

type Keys = Answer<'GET /v1/admin/keys'>;
type KeysRequest = (query: { readonly limit: number; readonly cursor: string | undefined }) => ServiceRequest<Keys>;

/** What comes in pages, as if it were one. */
const LISTS = {
  'project list': projectsOf,
  'key list': async (client: ServiceClient, { project }: OfProject, options: AskOptions): Promise<Keys> => {
    if (project !== undefined) return keysOf(client, keysOfProject(project), options);
    const { projects } = await projectsOf(client, {}, options);
    const sources = [...projects.map(({ id }) => keysOfProject(id)), adminKeys];
    const lists = await Promise.all(sources.map((source) => keysOf(client, source, options)));
    // The newest first, as in each of them.
    const keys = lists.flatMap((list) => list.keys);
    const sorted = keys.toSorted(
      (one, other) => compare(other.created_at, one.created_at) || compare(other.id, one.id),
    );
    return { keys: sorted, next_cursor: null };
  },
  'dead-letters list': deadLettersOf,
} as const;

const PAGE_LIMIT = 1_000;
const ALL = { limit: Infinity, pageLimit: PAGE_LIMIT } as const;

function projectsOf(
  client: ServiceClient,
  _args: object,
  options: AskOptions,
): Promise<Answer<'GET /v1/admin/projects'>> {
  return onePage('projects', ALL, (limit, cursor) =>
    askFor(client, operation('GET /v1/admin/projects', { query: { limit, cursor } }), options),
  );
}

const keysOfProject =
  (id: string): KeysRequest =>
  (query) =>
    operation('GET /v1/admin/projects/{id}/keys', { path: { id }, query });

const adminKeys: KeysRequest = (query) => operation('GET /v1/admin/keys', { query });

function keysOf(client: ServiceClient, requestOf: KeysRequest, options: AskOptions): Promise<Keys> {
  return onePage('keys', ALL, (limit, cursor) => askFor(client, requestOf({ limit, cursor }), options));
}

interface DeadLetterFilters extends OfProject {
  readonly state?: string | undefined;
  readonly reader?: string | undefined;
  readonly topic?: string | undefined;
  readonly error?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit?: number | undefined;
}

/** Up to the limit, 100 where none is given. */
function deadLettersOf(
  client: ServiceClient,
  { limit: wanted = 100, ...filters }: DeadLetterFilters,
  options: AskOptions,
): Promise<Answer<'GET /v1/admin/dead-letters'>> {
  return onePage('dead_letters', { limit: wanted, pageLimit: PAGE_LIMIT }, (limit, cursor) => {
    const query = { ...filters, limit, cursor };
    return askFor(client, operation('GET /v1/admin/dead-letters', { query, streams: true }), options);
  });
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
