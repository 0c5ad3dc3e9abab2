/** What the subcommands of `tidemark audience` share: whose audience it is, and its definition. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { TidemarkError } from '../runtime/errors.ts';
import { ask, type ServiceRequest } from './client/ask.ts';
import type { CliContext } from './context.ts';
import { projectIdOf } from './project.ts';
import { withService } from './client/with-service.ts';

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
  if (isNamed && project !== undefined) {
    throw new TidemarkError('COMMAND_INVALID', `The project is named twice: ${words[0]} and --project ${project}.`);
  }
  return { project: isNamed ? words[0] : project, values: isNamed ? words.slice(1) : words };
}

/** A request to `/v1/audiences…`, without its project. @throws as `ask`. The JSON text of the answer. */
export async function askAudiences(
  context: CliContext,
  project: string | undefined,
  request: ServiceRequest,
): Promise<string> {
  const path = await pathFor(context, project, request.path);
  return withService(context, (client) => ask(client, { ...request, path }, { signal: context.signal }), {
    needs: AUDIENCE_STORES,
  });
}

/** What questions about audiences need. */
export const AUDIENCE_STORES = ['database', 'analytics'] as const;

/** With the project that the request is about. */
export async function pathFor(context: CliContext, project: string | undefined, path: string): Promise<string> {
  const mark = path.includes('?') ? '&' : '?';
  const named = project ?? (await projectIdOf(context, undefined));
  return `/v1/audiences${path}${mark}project=${encodeURIComponent(named)}`;
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

/** A body with a definition, which goes in as it was written, every digit kept. */
export function bodyWith(definition: string | undefined, members: Readonly<Record<string, unknown>>): string {
  const rest = JSON.stringify(members);
  if (definition === undefined) return rest;
  try {
    JSON.parse(definition);
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `The definition is not JSON: ${(cause as Error).message}`, { cause });
  }
  return `{"definition":${definition}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}
