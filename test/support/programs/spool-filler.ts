/** Puts numbers into the spool of a folder until it is killed, several appends at once; prints each that is acknowledged. */
import { lockFolder } from '../../../services/runtime/folder-lock.ts';
import { Spool } from '../../../services/event-log/spool/spool.ts';

const [folder = '', first = '0'] = process.argv.slice(2);
lockFolder(folder);
const spool = await Spool.open({ folder, maxBytes: 2 ** 30, segmentBytes: 50_000 });
const padding = 'x'.repeat(300);
let next = Number(first);
for (;;) {
  const now = Array.from({ length: 16 }, () => next++);
  await Promise.all(
    now.map(async (number) => {
      const key = Buffer.from(padding);
      await spool.append([{ topic: 't', key, value: Buffer.from(String(number)) }]);
      process.stdout.write(`${number}\n`);
    }),
  );
}
