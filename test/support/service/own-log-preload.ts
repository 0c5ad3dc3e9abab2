/**
 * Preloaded into a service (`own-log.ts`): it appends what a test sends to the service's log, from its own process, as no
 * other may have an embedded log open.
 */
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { isMainThread } from 'node:worker_threads';
import { openEventLog } from '../../../services/event-log/open.ts';
import { TOPICS } from '../../../services/messages/message.ts';
import type { SentRecords } from './own-log.ts';

const socket = process.env['OWN_LOG_SOCKET'];
// Each thread of the service loads it too.
if (isMainThread && socket !== undefined) {
  createServer({ allowHalfOpen: true }, (connection) => void answer(connection))
    .listen(socket)
    .unref();
}

async function answer(connection: Socket): Promise<void> {
  const { url, records } = JSON.parse(await text(connection)) as SentRecords;
  const log = await openEventLog(url, { topics: TOPICS });
  const appended = await log.append(
    records.map(({ topic, key, value }) => {
      return { topic, key: Buffer.from(key, 'base64'), value: Buffer.from(value, 'base64') };
    }),
  );
  await log.close();
  connection.end(String(appended.length));
}
