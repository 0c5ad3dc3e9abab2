/** What subcommands have a service do, over HTTP: the one that is named or runs here, else one in this process. */
import { type Answer, operation, type OperationName, type Request } from '../../../schemas/operations.ts';
import { askFor, type AskOptions, type ServiceRequest } from './ask.ts';
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
  if (/^\/v1\/(audiences|endpoints)\b|\/definitions$/.test(path)) return { needs: ['profilesUrl', 'analyticsUrl'] };
  // The deletion of a project, which is streamed, needs every store.
  const isOfDatabase = !streams && /^\/v1\/admin\/(projects|keys)\b/.test(path);
  const makesFolder = method === 'POST' && path === '/v1/admin/projects';
  return { needs: isOfDatabase ? ['profilesUrl'] : ['eventLogUrl', 'profilesUrl', 'analyticsUrl'], makesFolder };
}

export type ProjectInList = Answer<'GET /v1/admin/projects'>['projects'][number];

/** All of them, as if they were one page. */
export function listProjects(context: ServiceContext): Promise<Answer<'GET /v1/admin/projects'>> {
  const list = (client: ServiceClient): Promise<Answer<'GET /v1/admin/projects'>> =>
    onePage({ limit: Infinity, pageLimit: 1_000 }, (limit, cursor) =>
      carryOut({ ...context, client }, operation('GET /v1/admin/projects', { query: { limit, cursor } })),
    );
  return withService(context, list, OF_DATABASE);
}

export type ListedPage = object & { readonly next_cursor: string | null };

/**
 * A listing as if it were one page, of as many answers as that takes. What else a page has is that of the last.
 *
 * @param limit The most items that are wanted; `Infinity` for all.
 * @param pageLimit The most that the service puts into one page.
 */
export async function onePage<P extends ListedPage>(
  { limit, pageLimit }: { readonly limit: number; readonly pageLimit: number },
  ask: (limit: number, cursor: string | undefined) => Promise<P>,
): Promise<P> {
  const items: unknown[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await ask(Math.min(pageLimit, limit - items.length), cursor);
    // A page has one list.
    const [member = '', list] = Object.entries<unknown>({ ...page }).find(([, value]) => Array.isArray(value)) ?? [];
    for (const item of list as readonly unknown[]) items.push(item);
    if (page.next_cursor === null || items.length >= limit) return { ...page, [member]: items };
    cursor = page.next_cursor;
  }
}

/** What the document says that a job comes to. */
type ResultIn<Name extends OperationName> = NonNullable<Extract<Answer<Name>, { readonly result: unknown }>['result']>;

/** What jobs come to: the last line of the stream of what the document answers with the job. */
export interface JobResults {
  readonly 'POST /v1/admin/dead-letters/replay': ResultIn<'POST /v1/admin/dead-letters/replay'>;
  readonly 'POST /v1/admin/generations': ResultIn<'POST /v1/admin/generations/{kind}/{number}/compare'>;
  readonly 'POST /v1/admin/generations/{kind}/{number}/swap': unknown;
  readonly 'POST /v1/admin/generations/{kind}/{number}/drop': unknown;
  readonly 'POST /v1/admin/imports': ResultIn<'POST /v1/admin/imports'>;
  readonly 'POST /v1/admin/backups': ResultIn<'POST /v1/admin/backups'>;
}

/** An operation whose job is awaited. */
export function job<Name extends keyof JobResults>(
  name: Name,
  ...given: Request<Name>
): ServiceRequest<JobResults[Name]> {
  return { ...operation(name, ...given), streams: true } as ServiceRequest<JobResults[Name]>;
}
