/** What is by hand of `tidemark user export`: a stream of lines, which may go to a file. */
import { open, rename, rm } from 'node:fs/promises';
import { linesTogether } from '../client/ask.ts';
import type { ByHand, RunningCommand } from '../document/commands.ts';

export const USER_EXPORT: Readonly<Record<string, ByHand>> = {
  'user export': {
    options: (command) =>
      void command.option('--out <file>', 'write it to this file, which is there only once it is complete'),
    ask: async (run) => {
      const { out: file } = run.options;
      if (file !== undefined) await writeExport(run, file as string);
      else await readExport(run, async (text) => run.context.out(text));
      return undefined;
    },
  },
};

/** @throws as `readExport`: the file is then as it was before. */
async function writeExport(run: RunningCommand, file: string): Promise<void> {
  const part = `${file}.part`;
  // It is about a person: nobody else is to read it.
  const opened = await open(part, 'w', 0o600);
  try {
    await readExport(run, (text) => opened.appendFile(text));
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

/** @throws as `linesTogether`; Error unless the last line is `end`, with the number of the lines before it. */
async function readExport(
  { context, requestOf }: RunningCommand,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let count = -1;
  let last: string | undefined;
  for await (const lines of linesTogether(context.client, requestOf(), context)) {
    count += lines.length;
    last = lines.at(-1);
    await write(lines.join(''));
  }
  if (last !== `${JSON.stringify({ type: 'end', lines: count })}\n`) {
    throw new Error('The export broke off before its end. Ask for it again.');
  }
}
