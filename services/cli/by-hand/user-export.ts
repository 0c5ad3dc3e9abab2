/** What is by hand of `tidemark user export`: a stream of lines, which may go to a file. */
import { open, rename, rm } from 'node:fs/promises';
import { linesTogether, type ServiceRequest } from '../client/ask.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { CliContext } from '../context.ts';
import type { ByHand } from '../document/commands.ts';

export const USER_EXPORT: Readonly<Record<string, ByHand>> = {
  'user export': {
    options: (command) =>
      void command.option('--out <file>', 'write it to this file, which is there only once it is complete'),
    run: async (context, client, requestOf, { out: file }) => {
      if (file !== undefined) await writeExport(context, client, requestOf(), file as string);
      else await readExport(context, client, requestOf(), async (text) => context.out(text));
    },
  },
};

/** @throws as `readExport`: the file is then as it was before. */
async function writeExport(context: CliContext, client: ServiceClient, request: ServiceRequest, file: string) {
  const part = `${file}.part`;
  // It is about a person: nobody else is to read it.
  const opened = await open(part, 'w', 0o600);
  try {
    await readExport(context, client, request, (text) => opened.appendFile(text));
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
  context: CliContext,
  client: ServiceClient,
  request: ServiceRequest,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let count = -1;
  let last: string | undefined;
  for await (const lines of linesTogether(client, request, context)) {
    count += lines.length;
    last = lines.at(-1);
    await write(lines.join(''));
  }
  if (last !== `${JSON.stringify({ type: 'end', lines: count })}\n`) {
    throw new Error('The export broke off before its end. Ask for it again.');
  }
}
