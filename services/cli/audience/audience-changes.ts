/** `tidemark audience members` and `changes`: streams of lines, each of one user. */
import { type Command, Option } from 'commander';
import { type Answer, operation } from '../../../schemas/operations.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import {
  addOperands,
  JSON_ANYWAY_OPTION,
  type ProjectOption,
  readOperands,
  TRAITS_OPTION,
  withProject,
} from './audience-request.ts';
import { askForText, type ServiceRequest } from '../client/ask.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';

export function addAudienceMembers(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print everybody who is in a saved audience now, a line of JSON each, and a last line';
  addFormOptions(addOperands(parent.command('members').description(description), names))
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], { format, traits, ...options }: FormOptions) => {
      const { project: named, values } = readOperands(words, names, options);
      const path = { id: values[0] ?? '' };
      await withProject<unknown>(context, named, (client, project) => {
        const query = { project, format, traits };
        const request = { ...operation('GET /v1/audiences/{id}/members', { path, query }), ...UNKNOWN };
        return format === 'csv' ? printCsv(context, client, request) : printLines(context, client, request);
      });
    });
}

interface FormOptions extends ProjectOption {
  readonly format?: 'csv';
  readonly traits?: string;
}

function addFormOptions(command: Command): Command {
  return command
    .option(...TRAITS_OPTION)
    .addOption(new Option('--format <format>', 'csv in place of a line of JSON each').choices(['csv']));
}

interface ChangesOptions extends FormOptions {
  readonly since?: string;
  readonly wait?: true;
}

export function addAudienceChanges(parent: Command, context: CliContext): void {
  const names = ['id'];
  const description = 'print who entered and left a saved audience, a line of JSON each, and a last line';
  addFormOptions(addOperands(parent.command('changes').description(description), names))
    .option('--since <time>', 'only what evaluations after this time found')
    .option('--wait', 'go on with what later evaluations find, until Ctrl-C')
    .option(...JSON_ANYWAY_OPTION)
    .action(async (words: readonly string[], { since, wait, format, traits, ...options }: ChangesOptions) => {
      if (wait === true && format === 'csv') throw new TidemarkError('COMMAND_INVALID', NO_CSV_WITH_WAIT);
      const { project: named, values } = readOperands(words, names, options);
      await withProject<unknown>(context, named, (client, project) => {
        const audience = { id: values[0] ?? '', project };
        const from = { since, traits };
        if (wait === true) return follow(context, client, audience, from);
        if (format === 'csv') return printCsv(context, client, changesOf(audience, { ...from, format }));
        return printLines(context, client, changesOf(audience, from));
      });
    });
}

const NO_CSV_WITH_WAIT = '--wait goes on without an end, which CSV cannot say: leave out --format.';

interface NamedAudience {
  readonly id: string;
  readonly project: string | undefined;
}

interface From {
  readonly since?: string | undefined;
  readonly cursor?: string | undefined;
  readonly wait?: number;
  readonly traits: string | undefined;
  readonly format?: 'csv';
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
async function follow(context: CliContext, client: ServiceClient, audience: NamedAudience, begin: From): Promise<void> {
  const { traits } = begin;
  try {
    for (let from = begin; ;) {
      const end = await printLines(context, client, changesOf(audience, { ...from, wait: WAIT_S }), 'changes');
      const { next_cursor: cursor, through } = JSON.parse(end) as ChangesEnd;
      from = cursor === null ? { since: through ?? from.since, traits } : { cursor, traits };
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

/** Prints the lines of CSV as they arrive. @throws TidemarkError `CONTROL_LOST` where the answer was cut. */
async function printCsv({ out, signal }: CliContext, client: ServiceClient, request: ServiceRequest): Promise<void> {
  for await (const line of askForText(client, request, { signal })) out(`${line}\n`);
}
