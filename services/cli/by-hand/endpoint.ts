/** What is by hand of `tidemark endpoint`. */
import type { Answer } from '../../../schemas/operations.ts';
import { commandInvalid } from '../../runtime/command.ts';
import { type CliContext, ExitCode } from '../context.ts';
import type { ByHand } from '../document/commands.ts';

export const ENDPOINT: Readonly<Record<string, ByHand>> = {
  'endpoint create': { print: printSecret },
  'endpoint rotate': { print: printSecret },
  'endpoint test': {
    judge: ({ state }: Answer<'POST /v1/endpoints/{id}/test'>) => {
      if (state !== 'delivered') throw new ExitCode(1);
    },
  },
  'endpoint resend': {
    options: (command) => void command.option('--delivery <delivery>', 'This delivery, under the same id'),
    change: ({ path }, { since, delivery }) => {
      if (delivery === undefined) return undefined;
      if (since !== undefined) throw commandInvalid('Give --since or --delivery.');
      path['delivery'] = delivery;
      return { name: 'POST /v1/endpoints/{id}/deliveries/{delivery}/resend', hasBody: false };
    },
  },
};

/** Only the secret goes to standard output, for `SECRET=$(tidemark endpoint create …)`. */
function printSecret(context: CliContext, made: Answer<'POST /v1/endpoints'>): void {
  if (made.secret === null) return context.err(`The endpoint ${made.id} is a topic. It has no secret.\n`);
  context.err(`The secret of the endpoint ${made.id}, shown only this once:\n`);
  context.out(`${made.secret}\n`);
}
