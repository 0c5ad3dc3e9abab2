/** What a command is given as a document: a definition, a question or a record. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { TidemarkError } from '../../runtime/errors.ts';
import { keepDigits } from '../client/ask.ts';

/** The document, every digit of its numbers kept. @throws TidemarkError `COMMAND_INVALID` where it is not JSON. */
export async function documentIn(given: string, what: string): Promise<object> {
  const json = await definitionText(given);
  let value: unknown;
  try {
    value = JSON.parse(json, keepDigits);
  } catch (cause) {
    throw new TidemarkError('COMMAND_INVALID', `The ${what} is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TidemarkError('COMMAND_INVALID', `The ${what} is not an object.`);
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
