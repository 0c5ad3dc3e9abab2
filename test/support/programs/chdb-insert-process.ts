/** A process that inserts a message into analytics, and prints how many messages are there. */
import { openAnalytics } from '../../../services/stores/analytics/open.ts';
import { ask, insert, MessageMaker } from '../stores/analytics.ts';

const store = await openAnalytics(process.argv[2] ?? '');
await insert(store, [new MessageMaker().track()]);
const [counted] = await ask<{ n: string }>(store, 'SELECT count() AS n FROM events');
await store.close();
process.stdout.write(String(counted?.n));
