import { expect, onTestFinished, test } from 'vitest';
import { letterWatchOf } from '../../services/app/readers/reader-parts.ts';
import { DEAD_LETTER_TOPIC } from '../../services/messages/message.ts';
import { emptiedEndpoints } from '../contract/endpoint-claims.ts';
import { SETTINGS } from '../contract/endpoint-store.ts';
import { MemoryLog } from '../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../support/messages/messages.ts';
import { sharedDatabase } from '../support/stores/database.ts';

const database = sharedDatabase();

test('dead letters are read, and told of, once an endpoint wants them', async () => {
  const { store, project } = await emptiedEndpoints(database());
  const log = new MemoryLog();
  const { key, value } = recordOf(track({ projectId: project, userId: 'ada' }));
  const at = { topic: 'tidemark.track', partition: 0, offset: 1n };
  const letter = { ...at, key, value, error: 'STORE_REJECTED: no', failedAt: 7n, reader: 'sink' };
  log.put(DEAD_LETTER_TOPIC, 0, { key, value: codec.encodeDeadLetter(letter) });
  let queries = 0;
  const counting = {
    query: (sql: string, values?: never) => {
      queries++;
      return database().query(sql, values);
    },
    transaction: database().transaction.bind(database()),
  };
  const watch = letterWatchOf({ database: counting, log, codec } as never, { warn: () => undefined }, 5);
  onTestFinished(() => watch.stop());
  watch.start();
  await expect.poll(() => queries, { timeout: 20_000 }).toBeGreaterThan(2);
  expect(log.scans).toBe(0);

  await store.create(project, { ...SETTINGS, types: ['dead_letter.waiting'] });

  const notices = () => database().query('select notice from endpoint_deliveries');
  await expect.poll(notices, { timeout: 20_000 }).toHaveLength(1);
  expect(log.scans).toBe(1);
});
