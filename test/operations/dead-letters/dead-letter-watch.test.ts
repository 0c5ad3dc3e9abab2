import { expect, onTestFinished, test } from 'vitest';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import {
  DeadLetterWatch,
  type DeadLetterWatchParts,
} from '../../../services/operations/dead-letters/dead-letter-watch.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { SqlStoreFigures } from '../../../services/operations/status/store-figures.ts';
import { MemoryLog } from '../../support/event-log/memory-log.ts';
import { codec, recordOf, track } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { sharedDatabase } from '../../support/stores/database.ts';

type Look = Parameters<DeadLetterWatchParts['tell']>[0];

const database = sharedDatabase();
const PATIENCE = { timeout: 20_000 };
/** Each scene has messages of a partition of its own, for what was settled stays so. */
let partitions = 0;
const CALL = { report: () => undefined, signal: new AbortController().signal };

function scene(parts: Partial<DeadLetterWatchParts> = {}) {
  const log = new MemoryLog();
  const looks: Look[] = [];
  const projectId = randomProjectId();
  const partition = ++partitions;
  const put = (offset: bigint, reader = 'sink', error = 'STORE_REJECTED: no'): void => {
    const { key, value } = recordOf(track({ projectId, userId: 'ada' }));
    const letter = { topic: 'tidemark.track', partition, offset, key, value, error, failedAt: 7n, reader };
    log.put(DEAD_LETTER_TOPIC, 0, { key, value: codec.encodeDeadLetter(letter) });
  };
  const watch = new DeadLetterWatch({
    log,
    codec,
    figures: new SqlStoreFigures(database(), { ask: () => Promise.reject(new Error('not to be asked')) }),
    isWanted: async () => true,
    tell: async (found) => void looks.push(found),
    logger: { warn: () => undefined },
    everyMs: 5,
    ...parts,
  });
  onTestFinished(() => watch.stop());
  const last = (): readonly string[] | undefined =>
    looks.at(-1)?.letters.map(({ id }) => id.replace(`/${partition}/`, ':'));
  return { log, looks, put, watch, last, projectId };
}

test('each message that waits in the dead letters is told of once, by its first dead letter', async () => {
  const { looks, put, watch, last, projectId } = scene();
  put(1n, 'sink', `STORE_REJECTED: ${'x'.repeat(1_000)}`);
  put(1n, 'projector', 'ANOTHER: no');
  watch.start();
  await expect.poll(last, PATIENCE).toEqual(['tidemark.track:1']);
  put(2n);

  await expect.poll(last, PATIENCE).toEqual(['tidemark.track:1', 'tidemark.track:2']);

  const [letter] = looks[0]?.letters ?? [];
  expect(letter).toMatchObject({ topic: 'tidemark.track', projectId, code: 'STORE_REJECTED', reader: 'sink' });
  expect([letter?.error.length, letter?.failedAt, looks[0]?.isWhole]).toEqual([500, 7n, true]);
});

test('a dead letter that was dropped waits no more', async () => {
  const { log, put, watch, last } = scene();
  put(1n);
  watch.start();
  await expect.poll(last, PATIENCE).toEqual(['tidemark.track:1']);

  await new Settler({ log, codec, database: database() }).drop({ all: true }, CALL);

  await expect.poll(last, PATIENCE).toEqual([]);
});

test('nothing is read while nobody is to be told', async () => {
  let [isWanted, asked] = [false, 0];
  const { put, watch, looks, last } = scene({
    isWanted: async () => {
      asked++;
      return isWanted;
    },
  });
  put(1n);
  watch.start();
  await expect.poll(() => asked, PATIENCE).toBeGreaterThan(1);
  expect(looks).toEqual([]);

  isWanted = true;

  await expect.poll(last, PATIENCE).toEqual(['tidemark.track:1']);
});

test('what could not be told is told at the next look', async () => {
  let failures = 2;
  const looks: Look[] = [];
  const { put, watch } = scene({
    tell: async (found) => {
      if (failures-- > 0) throw new Error('the database is away');
      looks.push(found);
    },
  });
  put(1n);

  watch.start();

  await expect.poll(() => looks[0]?.letters, PATIENCE).toMatchObject([{ topic: 'tidemark.track' }]);
});
