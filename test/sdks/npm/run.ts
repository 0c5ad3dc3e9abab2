/** Makes calls with the SDK of the file named in the first argument: see `SdkProcess`. */
import { createInterface } from 'node:readline';
import type { Call } from '../call.ts';
import type { Connect } from './sender.ts';

const [file = '', url = '', writeKey = ''] = process.argv.slice(2);
const { connect } = (await import(`./${file}`)) as { connect: Connect };
const sender = await connect(url, writeKey);

for await (const line of createInterface({ input: process.stdin })) {
  for (const call of JSON.parse(line) as Call[]) await sender.send(call);
  await sender.flush().catch((error: unknown) => process.stderr.write(`flush: ${String(error)}\n`));
  process.stdout.write('@done\n');
}
