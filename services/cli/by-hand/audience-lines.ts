/** `tidemark audience members` and `changes`: streams of lines, each of one user. */
import { commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Answer } from '../../../schemas/operations.ts';
import { askForText, type ServiceRequest } from '../client/ask.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';
import type { ByHand, RequestOf } from '../document/commands.ts';

export const AUDIENCE_LINES: Readonly<Record<string, ByHand>> = {
  'audience members': { run: printAll },
  'audience changes': {
    options: (command) => void command.option('--wait', 'go on with what later evaluations find, until Ctrl-C'),
    change: (_, { wait, format }) => {
      if (wait === true && format === 'csv') throw commandInvalid(NO_CSV_WITH_WAIT);
      return undefined;
    },
    run: (context, client, requestOf, options) =>
      (options['wait'] === true ? follow : printAll)(context, client, requestOf, options),
  },
};

const NO_CSV_WITH_WAIT = '--wait goes on without an end, which CSV cannot say: leave out --format.';

async function printAll(
  context: CliContext,
  client: ServiceClient,
  requestOf: RequestOf,
  { format }: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (format === 'csv') await printCsv(context, client, requestOf());
  else await printLines(context, client, requestOf());
}

type ChangesEnd = Extract<Answer<'GET /v1/audiences/{id}/changes'>, { readonly next_cursor: unknown }>;

/** The most that the service waits. */
const WAIT_S = 30;

/** Asks for one stream after the other, each from where the one before ended. Ends when the context's signal is aborted. */
async function follow(context: CliContext, client: ServiceClient, requestOf: RequestOf): Promise<void> {
  try {
    for (let from: Readonly<Record<string, unknown>> = {}; ;) {
      const end = await printLines(context, client, requestOf({ ...from, wait: WAIT_S }), 'changes');
      const { next_cursor: cursor, through } = JSON.parse(end) as ChangesEnd;
      from =
        cursor === null
          ? { ...from, cursor: undefined, ...(through !== null && { since: through }) }
          : { since: undefined, cursor };
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
