import { open, rename, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { pathTo, type Query } from '../../schemas/operations.ts';
import type { CliContext } from './context.ts';
import { projectClientOf } from './client/project-client.ts';
import { ServiceUnreachable } from './client/service-client.ts';
import { addServiceOptions, type ServiceOptions } from './client/service-options.ts';

interface ExportOptions extends ServiceOptions {
  readonly by?: NonNullable<Query<'GET /v1/users/{user_id}/export'>['by']>;
  readonly out?: string;
}

export function addUserExport(parent: Command, context: CliContext): void {
  const command = parent
    .command('export')
    .description('print everything about a person, as JSON, an object a line')
    .argument('<user>', "the user's id")
    .option('--by <kind>', 'what the id is: user_id, anonymous_id or internal_id', 'user_id')
    .option('--out <file>', 'write it to this file, which is there only once it is complete')
    .option('--json', 'print JSON, as without it');
  addServiceOptions(command).action(async (user: string, options: ExportOptions) => {
    if (options.out === undefined) await readExport(context, user, options, async (text) => context.out(text));
    else await writeExport(context, user, options, options.out);
  });
}

/** @throws ServiceUnreachable where the export breaks off: the file is as it was before. */
async function writeExport(context: CliContext, user: string, options: ExportOptions, file: string): Promise<void> {
  const part = `${file}.part`;
  // It is about a person: nobody else is to read it.
  const opened = await open(part, 'w', 0o600);
  try {
    await readExport(context, user, options, (text) => opened.appendFile(text));
    // A disk may take text that it has no room for, and say so only here.
    await opened.sync();
    await opened.close();
    await rename(part, file);
  } catch (error) {
    await opened.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

/** Hands over piece after piece, and resolves once the last line has said that the export is complete. */
async function readExport(
  context: CliContext,
  user: string,
  { by = 'user_id', ...service }: ExportOptions,
  write: (text: string) => Promise<void>,
): Promise<void> {
  const { client, project } = await projectClientOf(context, service);
  const path = pathTo('GET /v1/users/{user_id}/export', { path: { user_id: user }, query: { by, project } });
  const response = await client.expectOk(await client.get(path));
  const ending = new Ending();
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      ending.see(piece);
      await write(piece);
    }
  } catch (error) {
    context.signal?.throwIfAborted();
    throw isOfFile(error) ? error : new ServiceUnreachable(client.url, error);
  }
  if (!ending.isComplete) throw new Error('The export broke off before its end. Ask for it again.');
}

function isOfFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'write';
}

// Longer than the last line.
const TAIL_CHARS = 200;

/** Counts lines, and keeps the end of the text. */
class Ending {
  #lines = 0;
  #tail = '';

  see(piece: string): void {
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) this.#lines++;
    this.#tail = (this.#tail + piece.slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
  }

  /** Whether the last line is `end`, with the number of the lines before it. */
  get isComplete(): boolean {
    const lastLine = this.#tail.trimEnd().split('\n').at(-1);
    return lastLine === JSON.stringify({ type: 'end', lines: this.#lines - 1 });
  }
}
