/** A process, or a thread of one, that closes analytics in the middle of heavy questions and an insert. */
import { parentPort } from 'node:worker_threads';
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { AMPLE, insert, MessageMaker } from '../stores/analytics.ts';

const url =
  parentPort === null ? process.argv[2] : await new Promise<string>((resolve) => parentPort?.once('message', resolve));

const store = await openAnalytics(url ?? '');
const maker = new MessageMaker();
const endless = { sql: 'SELECT sum(cityHash64(number)) FROM numbers(1000000000000000)', params: {} };
const questions = Promise.allSettled(
  [1, 2, 3].map(() => store.ask(endless, { ...AMPLE, maxMs: 600_000, maxRowsRead: 2 ** 52 })),
);
const messages = Array.from({ length: 5_000 }, (_, n) => maker.track({ properties: `{"n":${n}}` }));
const inserted = insert(store, messages);

await store.check();
await store.close();
await inserted;

const codes = (await questions).map((question) =>
  question.status === 'rejected' ? (question.reason as { code?: string }).code : 'answered',
);
if (parentPort === null) process.stdout.write(codes.join());
else parentPort.postMessage(codes.join());
