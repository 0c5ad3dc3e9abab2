import { readFileSync } from 'node:fs';
import { TidemarkError } from '../runtime/errors.ts';
import type { AudienceAnswer } from '../reading/audience-commands.ts';
import type { CliContext } from './context.ts';

/** JSON as it came, every digit kept: that of an audience is for programs and people alike. */
export function printAnswer({ out }: CliContext, { json }: AudienceAnswer): void {
  out(`${json.trimEnd()}\n`);
}

export const DEFINITION_ARGUMENT = ['<definition>', 'the definition as JSON, or @FILE'] as const;

/** @throws TidemarkError `COMMAND_INVALID` where the file cannot be read. */
export function definitionText(given: string): string {
  if (!given.startsWith('@')) return given;
  try {
    return readFileSync(given.slice(1), 'utf8');
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `The file ${given.slice(1)} cannot be read.`, { cause });
  }
}

/** `none` is no refresh. */
export function refreshOf(given: string | undefined): string | null | undefined {
  return given === 'none' ? null : given;
}
