/** `tidemark audience members` and `changes`: streams of lines, each the JSON of one user. */
import type { Command } from 'commander';
import { type Answer, operation } from '../../../schemas/operations.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { addOperands, JSON_ANYWAY_OPTION, type ProjectOption, readOperands, withProject } from './audience-request.ts';
import { askForText, type ServiceRequest } from '../client/ask.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';

export function addAudienceMembers(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print everybody who is in a saved audience now, a line of JSON each, and a last line';
  addOperands(parent.command('members').description(description), names)
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], options: ProjectOption) => {
      const { project: named, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      await withProject(context, named, (client, project) => {
        const request = { ...operation('GET /v1/audiences/{id}/members', { path, query: { project } }), ...UNKNOWN };
        return printLines(context, client, request);
      });
    });
}

interface ChangesOptions extends ProjectOption {
  readonly since?: string;
  readonly wait?: true;
}

export function addAudienceChanges(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print who entered and left a saved audience, a line of JSON each, and a last line';
  addOperands(parent.command('changes').description(description), names)
    .option('--since <time>', 'only what evaluations after this time found')
    .option('--wait', 'go on with what later evaluations find, until Ctrl-C')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], { since, wait, ...options }: ChangesOptions) => {
      const { project: named, values } = readOperands(words, names, options);
      await withProject<unknown>(context, named, (client, project) => {
        const audience = { id: values[0] ?? '', project };
        return wait === true
          ? follow(context, client, audience, since)
          : printLines(context, client, changesOf(audience, { since }));
      });
    });
}

interface NamedAudience {
  readonly id: string;
  readonly project: string;
}

interface From {
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
  readonly wait?: number;
}

function changesOf({ id, project }: NamedAudience, from: From): ServiceRequest<ChangeLine> {
  return { ...operation('GET /v1/audiences/{id}/changes', { path: { id }, query: { ...from, project } }), ...UNKNOWN };
}

const UNKNOWN = { notFound: 'AUDIENCE_UNKNOWN' } as const;

type ChangeLine = Answer<'GET /v1/audiences/{id}/changes'>;
type ChangesEnd = Extract<ChangeLine, { readonly next_cursor: unknown }>;

/** The most that the service waits. */
const WAIT_S = 30;

/** Asks for one stream after the other, each from where the one before ended. Ends when the context's signal is aborted. */
async function follow(
  context: CliContext,
  client: ServiceClient,
  audience: NamedAudience,
  since: string | undefined,
): Promise<void> {
  try {
    for (let from: From = { since }; ;) {
      const end = await printLines(context, client, changesOf(audience, { ...from, wait: WAIT_S }), 'changes');
      const { next_cursor: cursor, through } = JSON.parse(end) as ChangesEnd;
      from = cursor === null ? { since: through ?? from.since } : { cursor };
    }
  } catch (error) {
    if (context.signal?.aborted !== true) throw error;
  }
}

const WRITTEN_TOGETHER = 1_000;

/**
 * Prints the lines of a stream as they arrive, and resolves with the last.
 *
 * @param what `changes`: not the last line where it is the only one.
 * @throws TidemarkError `CONTROL_LOST` where the last line is missing.
 */
async function printLines(
  { out, signal }: CliContext,
  client: ServiceClient,
  request: ServiceRequest,
  what: 'all' | 'changes' = 'all',
): Promise<string> {
  let last = '';
  let count = 0;
  let waiting: string[] = [];
  for await (const line of askForText(client, request, { signal })) {
    last = line;
    count++;
    waiting.push(`${line}\n`);
    if (waiting.length < WRITTEN_TOGETHER) continue;
    out(waiting.join(''));
    waiting = [];
  }
  if (what === 'all' || count > 1) out(waiting.join(''));
  if (last.startsWith('{"next_cursor"')) return last;
  throw new TidemarkError('CONTROL_LOST', 'The stream ended before its last line: not all was printed.');
}
