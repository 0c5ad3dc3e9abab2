import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Appended } from '../../../services/event-log/event-log.ts';
import type { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { placeOf, readCount, record, values } from '../../support/event-log/event-log.ts';
import type { ThreadNews, ThreadTask } from '../../support/programs/event-log-thread.ts';
import { runProgram } from '../../support/service/program.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const APPENDER = 'test/support/programs/event-log-appender.ts';

describe('an embedded log that two processes want to have open', () => {
  test('an embedded log is refused to the second process that wants it', async () => {
    const folder = await temporaryFolder();
    const log = await openEmbedded(folder);

    const { code, stderr } = await runProgram([APPENDER, `log:${folder}`, 't', 'v', '10']);

    expect([code, stderr]).toEqual([1, expect.stringContaining(`The folder ${folder} is in use`)]);
    expect(await log.append([record('t', 'key', 'value')])).toHaveLength(1);
  });
});

describe('an embedded log that several threads have open', () => {
  test('a worker thread reads what the main thread appends', async () => {
    const folder = await temporaryFolder();
    const log = await openEmbedded(folder);
    const thread = startThread({ folder, topic: 't', group: 'g', read: 1_000 });
    expect(await thread.news()).toEqual({ holding: true });

    const given = Array.from({ length: 1_000 }, (_, i) => record('t', `key-${i}`, `main-${i}`));
    await Promise.all(given.map((one) => log.append([one])));

    const { read } = (await thread.news()) as { read: readonly string[] };
    await thread.ended;
    expect(read.toSorted()).toEqual(given.map(({ value }) => String(value)).toSorted());
  });

  test('a log stores the appends of two threads and of two instances in one thread at once', async () => {
    const folder = await temporaryFolder();
    const [log, other] = [await openEmbedded(folder), await openEmbedded(folder)];
    const thread = startThread({ folder, topic: 't', group: 'g', append: 500 });

    const appended = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => [log, other][i % 2]!.append([record('t', `main-${i}`, `main-${i}`)])),
    );

    const { appended: elsewhere } = (await thread.news()) as { appended: readonly Appended[] };
    await thread.ended;
    const said = new Set([...appended.flat(), ...elsewhere].map(placeOf));
    expect(said.size).toBe(1_500);
    const read = await readCount(await readerOf(other), 1_500);
    expect(new Set(read.map(placeOf))).toEqual(said);
    expect(new Set(values(read)).size).toBe(1_500);
  });

  test('a log stays open in one thread when another has closed it', async () => {
    const folder = await temporaryFolder();
    const [log, other] = [await openEmbedded(folder), await openEmbedded(folder)];
    const thread = startThread({ folder, topic: 't', group: 'g', append: 10 });
    await thread.news();
    await thread.ended;

    await other.close();

    expect(await log.append([record('t', 'key', 'value')])).toHaveLength(1);
    expect(await readCount(await readerOf(log), 11)).toHaveLength(11);
  });
});

function readerOf(log: EmbeddedEventLog) {
  return log.openReader({ group: 'check', topics: ['t'], start: () => Promise.resolve([]) });
}

function startThread(task: ThreadTask) {
  const worker = new Worker(new URL('../../support/programs/event-log-thread.ts', import.meta.url), {
    workerData: task,
  });
  onTestFinished(async () => void (await worker.terminate()));
  const news: ThreadNews[] = [];
  worker.on('message', (one: ThreadNews) => news.push(one));
  return {
    /** A thread that is terminated while it closes the log leaves it locked: await this before the test ends. */
    ended: once(worker, 'exit'),
    news: async () => {
      while (news.length === 0) await once(worker, 'message');
      return news.shift();
    },
  };
}
