/** What is by hand of `tidemark dead-letters`. */
import type { Answer } from '../../../schemas/operations.ts';
import type { JobResults } from '../client/carry-out.ts';
import type { ByHand } from '../document/commands.ts';

export const DEAD_LETTERS: Readonly<Record<string, ByHand>> = {
  'dead-letters show': {
    options: (command) => void command.option('--record', 'print the message alone, as edit takes it'),
    ask: async ({ options }, ask) => {
      const letter: Answer<'GET /v1/admin/dead-letters/{id}'> = await ask();
      if (options['record'] !== true) return letter;
      if (letter.record === null) throw new Error(`the message of ${letter.id} cannot be decoded`);
      return letter.record;
    },
  },
  'dead-letters edit': {
    print: ({ out }, edited: EditedDeadLetter) => out(editedText(edited)),
    judge: ({ stores }: EditedDeadLetter) => {
      if (Object.values(stores ?? {}).some(({ accepts }) => !accepts)) throw new Error('a store would not take it');
    },
  },
  'dead-letters replay': settling('replayed'),
  'dead-letters drop': settling('dropped'),
};

type EditedDeadLetter = Answer<'POST /v1/admin/dead-letters/{id}/edit'>;

function editedText({ copy, stores }: EditedDeadLetter): string {
  if (stores === null) return `edited: appended as ${copy}\n`;
  return [trialText('profiles', stores.profiles), trialText('analytics', stores.analytics)].join('');
}

function trialText(store: string, { accepts, error }: NonNullable<EditedDeadLetter['stores']>['profiles']): string {
  return `${store}: ${accepts ? 'would take it' : `would refuse it: ${error}`}\n`;
}

type Settled = JobResults['POST /v1/admin/dead-letters/replay'];

function settling(done: 'replayed' | 'dropped'): ByHand {
  return {
    print: (
      { out, err },
      { messages, dry_run: isDry, settled_before: before, still_undecodable: undecodable }: Settled,
    ) => {
      out(`${messages} ${messages === 1 ? 'message' : 'messages'} ${isDry ? 'would be ' : ''}${done}\n`);
      if (before > 0) err(`${before} replayed or dropped before: left as they are\n`);
      if (undecodable > 0 && done === 'replayed') {
        err(`${undecodable} of them cannot be read by this version either: readers will put them aside again\n`);
      }
    },
    judge: ({ not_found: missing }: Settled) => {
      if (missing.length > 0) throw new Error(`no dead letter has the id ${missing.join(', ')}`);
    },
  };
}
