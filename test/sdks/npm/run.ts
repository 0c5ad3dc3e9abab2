/** Makes calls with the SDK of the file named in the first argument: see `SdkProcess`. */
import { createInterface } from 'node:readline';
import type { Call } from '../call.ts';
import type { Connect } from './sender.ts';

const [file = '', url = '', writeKey = ''] = process.argv.slice(2);
const { connect } = (await import(`./${file}`)) as { connect: Connect };
const sender = await connect(url, writeKey);

for await (const line of createInterface({ input: process.stdin })) {
  const read = JSON.parse(line) as Call[] | { readonly byTimer: Call[] };
  if (Array.isArray(read)) {
    for (const call of read) await sender.send(call);
    await sender.flush().catch((error: unknown) => process.stderr.write(`flush: ${String(error)}\n`));
  } else {
    // As most programs do: they neither wait for a call nor flush.
    for (const call of read.byTimer) void sender.send(call);
  }
  process.stdout.write('@done\n');
}
