/** `tidemark audience members` and `changes`: streams of lines, each of one user. */
import { commandInvalid } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { Answer } from '../../../schemas/operations.ts';
import { linesTogether } from '../client/ask.ts';
import type { ByHand, RunningCommand } from '../document/commands.ts';

export const AUDIENCE_LINES: Readonly<Record<string, ByHand>> = {
  'audience members': { ask: printAll },
  'audience changes': {
    options: (command) => void command.option('--wait', 'go on with what later evaluations find, until Ctrl-C'),
    change: (_, { wait, format }) => {
      if (wait === true && format === 'csv') throw commandInvalid(NO_CSV_WITH_WAIT);
      return undefined;
    },
    ask: (run) => (run.options['wait'] === true ? follow : printAll)(run),
  },
};

const NO_CSV_WITH_WAIT = '--wait goes on without an end, which CSV cannot say: leave out --format.';

async function printAll(run: RunningCommand): Promise<undefined> {
  // CSV has no last line that says that it is complete.
  await printLines(run, run.options['format'] === 'csv' ? 'csv' : 'all');
}

type ChangesEnd = Extract<Answer<'GET /v1/audiences/{id}/changes'>, { readonly next_cursor: unknown }>;

/** The most that the service waits. */
const WAIT_S = 30;

/** Asks for one stream after the other, each from where the one before ended. Ends when the context's signal is aborted. */
async function follow(run: RunningCommand): Promise<undefined> {
  try {
    for (let from: Readonly<Record<string, unknown>> = {}; ;) {
      const end = await printLines(run, 'changes', { ...from, wait: WAIT_S });
      const { next_cursor: cursor, through } = JSON.parse(end) as ChangesEnd;
      from =
        cursor === null
          ? { ...from, cursor: undefined, ...(through !== null && { since: through }) }
          : { since: undefined, cursor };
    }
  } catch (error) {
    if (run.context.signal?.aborted !== true) throw error;
  }
}

/**
 * Prints the lines of a stream as they arrive, and resolves with the last.
 *
 * @param what `changes`: not the last line where it is the only one.
 * @throws TidemarkError `CONTROL_LOST` where the last line is missing.
 */
async function printLines(
  { context, requestOf }: RunningCommand,
  what: 'all' | 'changes' | 'csv',
  more?: Readonly<Record<string, unknown>>,
): Promise<string> {
  let last = '';
  let count = 0;
  for await (const lines of linesTogether(context.client, requestOf(more), context)) {
    last = lines.at(-1) ?? '';
    count += lines.length;
    if (what !== 'changes' || count > 1) context.out(lines.join(''));
  }
  if (what === 'csv' || last.startsWith('{"next_cursor"')) return last;
  throw new TidemarkError('CONTROL_LOST', 'The stream ended before its last line: not all was printed.');
}
