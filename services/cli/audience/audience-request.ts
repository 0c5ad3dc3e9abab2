/** What the subcommands of `tidemark audience` share: whose audience it is, and its definition. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Answer } from '../../../schemas/operations.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { askFor, type ServiceRequest } from '../client/ask.ts';
import { WrongKey, type ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';
import { oneLine } from '../print.ts';
import { projectIdOf, projectNamedBy } from '../project.ts';
import { withService } from '../client/with-service.ts';

export interface ProjectOption {
  readonly project?: string;
}

/** Adds the operands, before which a project may stand, and the option that takes its place. */
export function addOperands(command: Command, names: readonly string[]): Command {
  const words = names.map((name) => `<${name}>`).join(' ');
  return command
    .argument(names.length === 0 ? '[project]' : '<words...>', `[project] ${words}`.trim())
    .usage(`[options] [project] ${words}`.trim())
    .option('--project <project>', 'the id or name of the project (default: the only one)');
}

/** What the operands of a subcommand are. */
export interface Operands {
  /** The id or name of the project; undefined for the only one. */
  readonly project: string | undefined;
  readonly values: readonly string[];
}

/** @throws TidemarkError `COMMAND_INVALID` where there are too many or too few. */
export function readOperands(
  given: readonly string[] | string | undefined,
  names: readonly string[],
  { project }: ProjectOption,
): Operands {
  const words = typeof given === 'string' ? [given] : (given ?? []);
  const isNamed = words.length === names.length + 1;
  if (words.length < names.length || words.length > names.length + 1) {
    throw new TidemarkError('COMMAND_INVALID', `It takes ${['[project]', ...names].join(', ')}.`);
  }
  return { project: projectNamedBy(isNamed ? words[0] : undefined, project), values: isNamed ? words.slice(1) : words };
}

/** A request, once it is known by what it names its project. */
export type OfProject<T = unknown> = (project: string | undefined) => ServiceRequest<T>;

/** @throws as `askFor`. */
export function askAudiences<T>(context: CliContext, project: string | undefined, requestOf: OfProject<T>): Promise<T> {
  const { signal } = context;
  return withProject(context, project, async (client, named) => {
    const answer = await askFor(client, requestOf(named), { signal });
    sayWarnings(context, answer);
    return answer;
  });
}

/** Says what a definition most likely does not mean, on standard error: the answer itself is for programs. */
export function sayWarnings({ err }: CliContext, answer: unknown): void {
  const { warnings = [] } = answer as { readonly warnings?: Answer<'POST /v1/audiences/preview'>['warnings'] };
  for (const { pointer, message } of warnings) err(`Warning: ${pointer} ${oneLine(message)}.\n`);
}

/** Asks a service about the audiences of a project: where none is named, that of the key, else the only one. */
export async function withProject<T>(
  context: CliContext,
  project: string | undefined,
  use: (client: ServiceClient, project: string | undefined) => Promise<T>,
): Promise<T> {
  const named = project ?? (await onlyProjectId(context));
  return withService(context, (client) => use(client, named), { needs: ['profilesUrl', 'analyticsUrl'] });
}

/** Undefined for a key of one project, which may not list any. */
async function onlyProjectId(context: CliContext): Promise<string | undefined> {
  try {
    return await projectIdOf(context, undefined);
  } catch (error) {
    if (error instanceof WrongKey) return undefined;
    throw error;
  }
}

/** What a file, standard input (`-`) or the argument itself has. @throws TidemarkError `COMMAND_INVALID` */
export async function definitionText(given: string): Promise<string> {
  if (given.trimStart().startsWith('{')) return given;
  // `@FILE` is how a file was named before.
  const file = given.startsWith('@') ? given.slice(1) : given;
  try {
    return await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** For subcommands whose only output is JSON. */
export const JSON_ANYWAY_OPTION = ['--json', 'print JSON, as without it'] as const;

/** Which traits stand beside the ids of users. */
export const TRAITS_OPTION = [
  '--traits <names>',
  'traits of each user: email,name,account.plan, or * for all',
] as const;

/**
 * A body of these members.
 *
 * @param definitions JSON text by the name of its member: it goes in as it was written, every digit kept.
 * @throws TidemarkError `COMMAND_INVALID` where one is not JSON.
 */
export function bodyWith(
  definitions: Readonly<Record<string, string | undefined>>,
  members: Readonly<Record<string, unknown>>,
): string {
  const parts = Object.entries(definitions).map(([name, text]) =>
    text === undefined ? '' : `${JSON.stringify(name)}:${checkedJson(name, text)}`,
  );
  return `{${[...parts, JSON.stringify(members).slice(1, -1)].filter((part) => part !== '').join()}}`;
}

function checkedJson(name: string, text: string): string {
  try {
    JSON.parse(text);
    return text.trim();
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `The ${name} is not JSON: ${(cause as Error).message}`, { cause });
  }
}
