/** `tidemark audience members` and `changes`: streams of lines, each of one user. */
import { commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Answer } from '../../../schemas/operations.ts';
import { linesTogether, type ServiceRequest } from '../client/ask.ts';
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
  // CSV has no last line that says that it is complete.
  await printLines(context, client, requestOf(), format === 'csv' ? 'csv' : 'all');
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

/**
 * Prints the lines of a stream as they arrive, and resolves with the last.
 *
 * @param what `changes`: not the last line where it is the only one.
 * @throws TidemarkError `CONTROL_LOST` where the last line is missing.
 */
async function printLines(
  context: CliContext,
  client: ServiceClient,
  request: ServiceRequest,
  what: 'all' | 'changes' | 'csv',
): Promise<string> {
  let last = '';
  let count = 0;
  for await (const lines of linesTogether(client, request, context)) {
    last = lines.at(-1) ?? '';
    count += lines.length;
    if (what !== 'changes' || count > 1) context.out(lines.join(''));
  }
  if (what === 'csv' || last.startsWith('{"next_cursor"')) return last;
  throw new TidemarkError('CONTROL_LOST', 'The stream ended before its last line: not all was printed.');
}
