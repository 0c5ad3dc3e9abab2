/** `tidemark export` and `tidemark apply`: what a project is defined by, in a folder. */
import { appendFileSync } from 'node:fs';
import type { Answer } from '../../../schemas/operations.ts';
import { carryOut } from '../client/carry-out.ts';
import { ExitCode } from '../context.ts';
import { type Definitions, readFolder, writeFolder } from '../definitions/folder.ts';
import type { ByHand, RunningCommand } from '../document/commands.ts';
import { oneLine, table } from '../print.ts';

const SECRETS = 'append keys and secrets that are made to this file, in place of printing them';

export const DEFINITIONS: Readonly<Record<string, ByHand>> = {
  export: {
    print: ({ err }, definitions: Definitions, { body: { folder } }) => {
      const others = writeFolder(String(folder), definitions);
      for (const path of others) err(`${path} stays: the project has nothing of this name.\n`);
    },
  },
  apply: {
    options: (command) => void command.option('--secrets <file>', SECRETS),
    ask: applyFolder,
    print: ({ out }, answer: Applied) => out(appliedText(answer)),
    judge: ({ dry_run: isDry, objects }: Applied) => {
      if (isDry && objects.some(isDone)) throw new ExitCode(EXIT_DIFFERENT);
    },
  },
};

/** The exit code of a dry run that found something to do. */
const EXIT_DIFFERENT = 2;

type Applied = Answer<'POST /v1/admin/projects/{id}/definitions'>;
type AppliedObject = Applied['objects'][number];

async function applyFolder({ context, requestOf, options, parts }: RunningCommand): Promise<Applied> {
  const { secrets: file } = options;
  const { folder } = parts.body;
  const { body, named } = readFolder(String(folder), context.env);
  // What is printed only once must find its place.
  if (typeof file === 'string') appendFileSync(file, '', { mode: 0o600 });
  const ask = async (more?: object): Promise<Applied> => {
    try {
      return (await carryOut(context, requestOf({ ...body, folder: undefined, ...more }))) as Applied;
    } catch (error) {
      if (error instanceof Error) error.message = named(error.message);
      throw error;
    }
  };
  let answer = await ask();
  // The service counts for some seconds at once.
  for (let names; (names = answer.objects.filter(isUncounted).map(({ name }) => name)).length > 0 && answer.dry_run;) {
    const { objects } = await ask({ numbers_of: names });
    const counted = objects.filter((one) => one.affects_users && !isUncounted(one));
    const again = (one: AppliedObject) => counted.find(({ name }) => isUncounted(one) && name === one.name) ?? one;
    answer = { ...answer, objects: answer.objects.map(again) };
  }
  const warnings = answer.warnings.map((one) => ({ ...one, pointer: named(one.pointer) }));
  if (typeof file !== 'string') return { ...answer, warnings };
  appendFileSync(file, secretsText(answer));
  return { ...answer, warnings, objects: answer.objects.map((one) => ({ ...one, secret: null })) };
}

function isUncounted({ affects_users: isAffected, users, failure }: AppliedObject): boolean {
  return isAffected && users === null && failure === null;
}

function isDone({ change }: AppliedObject): boolean {
  return change !== 'left' && change !== 'follow';
}

function secretsText({ objects }: Applied): string {
  const made = objects.filter(({ secret }) => secret !== null);
  return made.map(({ kind, name, secret }) => `${kind} ${oneLine(name)}: ${secret}\n`).join('');
}

function appliedText(answer: Applied): string {
  const { dry_run: isDry, objects } = answer;
  const rows = objects.map(({ change, kind, name, members, users, failure }) => {
    const numbers =
      users === null ? [failure ?? ''] : [users.from, users.to, users.entering, users.leaving].map(String);
    return [change, kind, oneLine(name), members.join(', '), ...numbers];
  });
  const [done, left] = [objects.filter(isDone).length, objects.filter(({ change }) => change === 'left').length];
  const what = done === 0 ? 'Nothing to do.' : `${done} ${isDry ? 'to do' : 'done'}.`;
  const rest = left === 0 ? '' : ` ${left} left: the files do not have them. --prune deletes those of a folder.`;
  const head = ['CHANGE', 'KIND', 'NAME', 'MEMBERS', ...(isDry ? ['BEFORE', 'AFTER', 'ENTER', 'LEAVE'] : [])];
  return `${rows.length === 0 ? '' : table(head, rows)}${what}${rest}\n${secretsText(answer)}`;
}
