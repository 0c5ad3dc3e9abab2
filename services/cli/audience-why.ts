import { type Command, InvalidArgumentError } from 'commander';
import { keepDigits } from '../messages/exact-number.ts';
import { askedOf, type AskedOfProject, DEFINITION_ARGUMENT, PROJECT_OPTION } from './audience.ts';
import { carryOut } from './carry-out.ts';
import type { CliContext } from './context.ts';
import { JSON_OPTION, type OutputOptions, printJson } from './print.ts';

interface Options extends OutputOptions, AskedOfProject {
  readonly user: string;
  readonly events: number;
}

interface ShownEvent {
  readonly message_id: string;
  readonly timestamp: string;
}

interface ShownVerdict {
  readonly kind: string;
  readonly condition: string;
  readonly is_met: boolean;
  readonly changes_at: string | null;
  readonly of?: readonly ShownVerdict[];
  readonly value?: unknown;
  readonly version?: { readonly timestamp: string; readonly is_deletion: boolean } | null;
  readonly count?: number;
  readonly events?: readonly ShownEvent[];
}

export function addAudienceWhy(parent: Command, context: CliContext): void {
  parent
    .command('why')
    .description('say whether one user is in an audience, why, and until when')
    .argument(...DEFINITION_ARGUMENT)
    .requiredOption('--user <id>', "the user's id")
    .option('--events <number>', 'how many events to name for each condition', readNumber, 3)
    .option(...PROJECT_OPTION)
    .option(...JSON_OPTION)
    .action(async (file: string, { user, events, ...options }: Options) => {
      const asked = await askedOf(context, file, options);
      const why = await carryOut(context, 'audience why', { ...asked, user, events });
      const shown = JSON.parse(why, keepDigits) as { readonly why: ShownVerdict };
      if (options.json) printJson(context, shown);
      else context.out(linesOf(shown.why, '').join(''));
    });
}

function readNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number.');
}

/** A line a part, its own parts further in, each with what decided. */
function linesOf(verdict: ShownVerdict, margin: string): string[] {
  const { condition, is_met: isMet, changes_at: changesAt, of = [], events = [] } = verdict;
  const until = changesAt === null ? '' : `, until ${changesAt}`;
  const inside = `${margin}     `;
  return [
    `${margin}${isMet ? 'yes' : 'no '}  ${condition}${foundIn(verdict)}${until}\n`,
    ...events.map(({ message_id: id, timestamp }) => `${inside}${timestamp}  ${JSON.stringify(id)}\n`),
    ...of.flatMap((part) => linesOf(part, inside)),
  ];
}

function foundIn({ kind, count, value, version }: ShownVerdict): string {
  if (kind === 'event') return `: ${count}`;
  if (kind !== 'trait') return '';
  if (version === null || version === undefined) return ': never set';
  if (version.is_deletion) return `: deleted ${version.timestamp}`;
  return `: ${value === undefined ? 'nothing there' : JSON.stringify(value)}, set ${version.timestamp}`;
}
