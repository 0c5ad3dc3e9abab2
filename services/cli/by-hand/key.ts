/** What is by hand of `tidemark key`: a key of the installation, and the keys of all projects, are other operations. */
import { Option } from 'commander';
import { commandInvalid } from '../../runtime/command.ts';
import { type Answer, operation } from '../../../schemas/operations.ts';
import { carryOut, listProjects, onePage } from '../client/carry-out.ts';
import type { CliContext } from '../context.ts';
import type { ByHand } from '../document/commands.ts';
import { readerOf } from '../document/options.ts';

type Keys = Answer<'GET /v1/admin/keys'>;
type CreatedKey = Answer<'POST /v1/admin/keys'>;

const SCOPES: readonly CreatedKey['scopes'][number][] = ['write', 'read', 'audiences', 'admin', 'flags'];

export const KEY: Readonly<Record<string, ByHand>> = {
  'key create': {
    options: (command) =>
      void command.addOption(
        new Option('--scope <scope>', 'what the key is for; may be repeated; admin is for no project')
          .choices(SCOPES)
          .argParser(readerOf({ type: 'array' }, SCOPES))
          .makeOptionMandatory(),
      ),
    change: ({ body }, { scope, project }) => {
      const scopes = scope as readonly string[];
      if (!scopes.includes('admin')) {
        body['scopes'] = scopes;
        return undefined;
      }
      if (project !== undefined || scopes.some((one) => one !== 'admin')) {
        throw commandInvalid('An admin key belongs to the installation: it has no project, and no other scope.');
      }
      return { name: 'POST /v1/admin/keys', ...OF_NO_PROJECT };
    },
    print: printCreatedKey,
  },
  'key list': {
    options: ({ options }) => {
      const named = options.find(({ long }) => long === '--project');
      if (named !== undefined) named.description = 'the id or name of a project (default: all)';
    },
    change: (_, { project }) => (project === undefined ? { name: 'GET /v1/admin/keys', ...OF_NO_PROJECT } : undefined),
    ask: async ({ context, options }, ask) =>
      options.project === undefined ? withProjects(context, await ask()) : ask(),
  },
};

const OF_NO_PROJECT = { project: undefined, needsProject: false };

/** Adds the keys of all projects to those of the installation. Newest first. */
async function withProjects(context: CliContext, { keys: ofInstallation }: Keys): Promise<Keys> {
  const { projects } = await listProjects(context);
  const pages = await Promise.all(projects.map(({ id }) => keysOfProject(context, id)));
  const keys = [ofInstallation, ...pages.map((page) => page.keys)].flat();
  const sorted = keys.toSorted((one, other) => compare(other.created_at, one.created_at) || compare(other.id, one.id));
  return { keys: sorted, next_cursor: null };
}

function keysOfProject(context: CliContext, id: string): Promise<Keys> {
  return onePage({ limit: Infinity, pageLimit: 1_000 }, (limit, cursor) =>
    carryOut(context, operation('GET /v1/admin/projects/{id}/keys', { path: { id }, query: { limit, cursor } })),
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Only the key goes to standard output, for `KEY=$(tidemark key create …)`. */
function printCreatedKey({ out, err }: CliContext, { id, scopes, key }: CreatedKey): void {
  err(`The ${scopes.join(' and ')} key ${id}, shown only this once:\n`);
  out(`${key}\n`);
}
