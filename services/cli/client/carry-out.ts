import type { CommandName, CommandResults, StoreName } from '../../app/commands.ts';
import type { EditedDeadLetter } from '../../maintenance/dead-letters/edit.ts';
import type { ListedDeadLetters } from '../../maintenance/dead-letters/dead-letter-commands.ts';
import type { KeySummary, ProjectSummary } from '../../stores/projects/project-commands.ts';
import { readJson } from '../../messages/json.ts';
import type { CommandArguments } from '../../runtime/command.ts';
import { ask, type ServiceRequest, type AskOptions } from './ask.ts';
import type { ServiceClient } from './service-client.ts';
import { type ServiceContext, withService } from './with-service.ts';

/** The commands that a subcommand is made of. */
type CarriedOut = Exclude<CommandName, 'verify last' | 'project delete' | 'replay rate' | 'replay compare'>;

/** What the service answers. */
type Results = Pick<Omit<CommandResults, 'dead-letters edit'>, Exclude<CarriedOut, 'dead-letters edit'>> & {
  readonly 'dead-letters edit': EditedDeadLetter;
};

/**
 * Has a service carry out a command, over HTTP.
 *
 * @throws as `withService` and `ask`.
 */
export async function carryOut<Name extends CarriedOut>(
  context: ServiceContext,
  name: Name,
  args: CommandArguments,
  options: Pick<AskOptions, 'onProgress'> = {},
): Promise<Results[Name]> {
  const { signal } = context;
  const run = (client: ServiceClient): Promise<unknown> =>
    LISTS[name]?.(client, args, { ...options, signal }) ?? once(client);
  const once = async (client: ServiceClient): Promise<unknown> => {
    const request = REQUESTS[name as Exclude<CarriedOut, ListName>](args);
    return exactly(await ask(client, request, { ...options, signal }));
  };
  const [word = ''] = name.split(' ', 1);
  const where = { needs: NEEDS[word] ?? EVERYTHING, makesFolder: name === 'project create' };
  return (await withService(context, run, where)) as Results[Name];
}

/** With every digit of its numbers: a dead letter holds values of users. */
function exactly(text: string): unknown {
  const read = readJson(text);
  return read.ok ? read.value.exact : JSON.parse(text);
}

const EVERYTHING: readonly StoreName[] = ['log', 'codec', 'database', 'analytics'];

/** The stores that commands need, by their first word, where that is not every store. */
const NEEDS: Readonly<Record<string, readonly StoreName[]>> = {
  project: ['database'],
  key: ['database'],
  'dead-letters': ['log', 'codec', 'database'],
};

type ListName = 'project list' | 'key list' | 'dead-letters list' | 'replay status';

const admin = '/v1/admin';

/** How each command is asked for. */
const REQUESTS: Readonly<Record<Exclude<CarriedOut, ListName>, (args: CommandArguments) => ServiceRequest>> = {
  'project create': (body) => ({ method: 'POST', path: `${admin}/projects`, body }),
  'project set': ({ id, ...body }) => ({ method: 'PATCH', path: `${admin}/projects/${segment(id)}`, body }),
  'key create': ({ project, ...body }) => {
    if (project === undefined) return { method: 'POST', path: `${admin}/keys`, body: { name: body['name'] } };
    return { method: 'POST', path: `${admin}/projects/${segment(project)}/keys`, body };
  },
  'key revoke': ({ id }) => ({ method: 'DELETE', path: `${admin}/keys/${segment(id)}` }),
  'dead-letters show': ({ id }) => ({ path: `${admin}/dead-letters/${segment(id)}`, streams: true }),
  'dead-letters edit': ({ id, record, dry_run: isDryRun }) => {
    const query = isDryRun === true ? '?dry_run=true' : '';
    return { method: 'POST', path: `${admin}/dead-letters/${segment(id)}/edit${query}`, body: record };
  },
  'dead-letters replay': (body) => ({ ...job, path: `${admin}/dead-letters/replay`, body }),
  'dead-letters drop': (body) => ({ ...job, path: `${admin}/dead-letters/drop`, body }),
  'replay plan': (args) => ({ method: 'POST', path: `${generations}?dry_run=true`, body: targetOf(args) }),
  'replay build': (args) => ({ ...job, path: generations, body: targetOf(args) }),
  'replay swap': ({ kind, number }) => ({ ...job, path: `${generations}/${segment(kind)}/${segment(number)}/swap` }),
  'replay rollback': ({ kind, project }) => {
    return { ...job, path: `${generations}/${segment(kind)}/live/rollback`, body: { project } };
  },
  'replay drop': ({ kind, number }) => ({ ...job, path: `${generations}/${segment(kind)}/${segment(number)}/drop` }),
  verify: (body) => ({ ...job, path: `${admin}/verifications`, body }),
};

const generations = `${admin}/generations`;

const job = { method: 'POST', streams: true } as const;

function targetOf({ kind, project, rate }: CommandArguments): CommandArguments {
  return { kind, project, rate_limit: rate };
}

function segment(value: unknown): string {
  return encodeURIComponent(String(value));
}

type List = (client: ServiceClient, args: CommandArguments, options: AskOptions) => Promise<unknown>;

/** What comes in pages. */
const LISTS: Readonly<Partial<Record<string, List>>> = {
  'project list': (client, _, options) => projectsOf(client, options),
  'key list': async (client, { project }, options) => {
    const ids = project === undefined ? (await projectsOf(client, options)).map(({ id }) => id) : [project as string];
    const paths = [
      ...ids.map((id) => `${admin}/projects/${segment(id)}/keys`),
      ...(project === undefined ? [`${admin}/keys`] : []),
    ];
    const keys: KeySummary[] = [];
    for (const path of paths) keys.push(...(await pagesOf<KeySummary>(client, path, 'keys', options)));
    // The oldest first.
    return keys.toSorted((one, other) => compare(one.created_at, other.created_at) || compare(one.id, other.id));
  },
  'dead-letters list': deadLettersOf,
  'replay status': async (client, _, options) => {
    const answer = JSON.parse(await ask(client, { path: generations }, options)) as { readonly generations: unknown };
    return answer.generations;
  },
};

const PAGE_LIMIT = 1_000;

/** Up to the limit, 100 where none is given, as if it were one page. */
async function deadLettersOf(
  client: ServiceClient,
  { limit = 100, ...filters }: CommandArguments,
  options: AskOptions,
): Promise<ListedDeadLetters> {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  let listed: ListedDeadLetters | undefined;
  for (;;) {
    const missing = Number(limit) - (listed?.dead_letters.length ?? 0);
    const cursor = listed?.next_cursor ?? null;
    if (listed !== undefined && (cursor === null || missing <= 0)) return listed;
    const page = { limit: String(Math.min(missing, PAGE_LIMIT)), ...(cursor !== null && { cursor }) };
    const query = new URLSearchParams([...given, ...Object.entries(page)]);
    const path = `${admin}/dead-letters?${query.toString()}`;
    const next = JSON.parse(await ask(client, { path, streams: true }, options)) as ListedDeadLetters;
    listed = { ...next, dead_letters: [...(listed?.dead_letters ?? []), ...next.dead_letters] };
  }
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Oldest first. */
async function projectsOf(client: ServiceClient, options: AskOptions): Promise<readonly ProjectSummary[]> {
  return (await pagesOf<ProjectSummary>(client, `${admin}/projects`, 'projects', options)).toReversed();
}

async function pagesOf<T>(
  client: ServiceClient,
  path: string,
  name: string,
  options: AskOptions,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let cursor: string | null = null; ;) {
    const query = new URLSearchParams({ limit: '1000', ...(cursor !== null && { cursor }) });
    const text = await ask(client, { path: `${path}?${query.toString()}`, streams: false }, options);
    const page = JSON.parse(text) as Readonly<Record<string, unknown>>;
    all.push(...(page[name] as readonly T[]));
    cursor = page['next_cursor'] as string | null;
    if (cursor === null) return all;
  }
}
