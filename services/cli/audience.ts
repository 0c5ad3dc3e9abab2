import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { TidemarkError } from '../runtime/errors.ts';
import type { CliContext } from './context.ts';
import { projectOf } from './project-of.ts';

export const DEFINITION_ARGUMENT = ['<file>', 'the definition as JSON, - for standard input'] as const;
export const PROJECT_OPTION = ['--project <id>', 'whose users they are (default: the only project)'] as const;

export interface AskedOfProject {
  readonly project?: string;
}

/** What a question about an audience says of it. */
export async function askedOf(
  context: CliContext,
  file: string,
  { project }: AskedOfProject,
): Promise<{ project: string; definition: string }> {
  const definition = await readText(file);
  return { project: (await projectOf(context, project)).id, definition };
}

async function readText(file: string): Promise<string> {
  try {
    return await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
