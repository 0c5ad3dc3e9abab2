import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Appended, NewRecord } from '../../../services/event-log/event-log.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { SpoolingLog, type SpoolingLogParts } from '../../../services/event-log/spool/spooling-log.ts';
import type { Spool, SpoolOptions } from '../../../services/event-log/spool/spool.ts';
import { until } from '../../support/event-log/event-log.ts';
import { eventually } from '../../support/eventually.ts';
import { FaultyLog } from '../../support/event-log/faulty-log.ts';
import { firstsOf, numbered, openSpool, spooled, valuesOf } from '../../support/event-log/spool.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Scene {
  readonly log: FaultyLog;
  readonly spool: Spool;
  readonly spooling: SpoolingLog;
  readonly said: string[];
}

/** Takes its time: a turn of the event loop, as a log that is somewhere does. */
class UnhurriedLog extends FaultyLog {
  override async append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    await nextTurn();
    return super.append(records);
  }
}

/** Ticks are short, so that patience ends soon. */
async function scene(parts: Partial<SpoolingLogParts> = {}, options: Partial<SpoolOptions> = {}): Promise<Scene> {
  const log = new UnhurriedLog();
  const spool = parts.spool ?? (await openSpool(await temporaryFolder(), options));
  const said: string[] = [];
  const say = (...args: unknown[]): void => void said.push(String(args.at(-1)));
  const logger = { info: say, warn: say, error: say };
  const spooling = new SpoolingLog({ log, spool, logger, tickMs: 10, ...parts });
  onTestFinished(async () => {
    log.release();
    await spooling.close();
  });
  return { log, spool, spooling, said };
}

test('while the log is reachable nothing is spooled, and appends resolve with offsets', async () => {
  const { log, spool, spooling } = await scene();

  const appended = await spooling.append(numbered(0, 2));

  expect(appended).toHaveLength(2);
  expect([valuesOf(log.records), spool.spooled, spooling.isDirect]).toEqual([['0', '1'], 0, true]);
});

test('what the log refuses with a retryable error is spooled, and forwarded in order later', async () => {
  const { log, spool, spooling, said } = await scene();
  log.unreachable = true;

  const answers = [];
  for (let i = 0; i < 5; i++) answers.push(await spooling.append(numbered(i, 1)));
  expect([answers, spool.messages, log.records.length]).toEqual([[null, null, null, null, null], 5, 0]);
  log.unreachable = false;
  await until(() => spooling.isDirect);

  expect(await spooling.append(numbered(5, 1))).toHaveLength(1);
  expect(valuesOf(log.records)).toEqual(['0', '1', '2', '3', '4', '5']);
  expect([spool.isEmpty, spooling.forwarder.forwarded]).toEqual([true, 5]);
  expect(said).toHaveLength(2);
});

test('what the log does not settle is spooled in order, before later appends', async () => {
  const { log, spool, spooling } = await scene();
  log.hold();

  const first = [0, 1, 2].map((i) => spooling.append(numbered(i, 1)));
  expect(await Promise.all(first)).toEqual([null, null, null]);
  const second = spooling.append(numbered(3, 1));
  expect(await second).toBeNull();
  expect(spool.messages).toBe(4);
  // The log takes the first three all the same, late: they are there twice.
  log.release();
  await until(() => spooling.isDirect);

  expect(valuesOf(log.records)).toEqual(['0', '1', '2', '0', '1', '2', '3']);
});

test('if the log settles late what was spooled, the first of the two resolves the append', async () => {
  const { log, spooling } = await scene();
  log.hold();
  const answer = spooling.append(numbered(0, 1));
  await until(() => !spooling.isDirect);
  log.release();

  expect([null, 1]).toContain((await answer)?.length ?? null);
  await until(() => spooling.isDirect);
});

test('an error that is not retryable rejects the append, and nothing is spooled', async () => {
  const damaged = new TidemarkError('LOG_DAMAGED', 'as ordered');
  const { spool, spooling } = await scene({
    log: { append: () => Promise.reject(damaged), check: () => Promise.resolve() },
  });

  await expect(spooling.append(numbered(0, 1))).rejects.toBe(damaged);
  expect([spool.spooled, spooling.isDirect]).toEqual([0, true]);
});

test('with the log unreachable and the spool full, appends are refused until either recovers', async () => {
  const { log, spool, spooling } = await scene({}, { maxBytes: 4_000, segmentBytes: 1_000 });
  const large = spooled('k', 'x'.repeat(1_500));
  log.unreachable = true;
  await spooling.append([large]);
  await spooling.append([large]);

  await expect(spooling.append([large])).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  await expect(spooling.check()).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
  expect(spool.state).toBe('full');
  log.unreachable = false;
  await until(() => spooling.isDirect);
  await spooling.check();

  expect(await spooling.append([large])).toHaveLength(1);
  await until(() => spool.state === 'empty');
  expect(log.records).toHaveLength(3);
});

test('what waited at the start is forwarded before new appends', async () => {
  const spool = await openSpool(await temporaryFolder());
  await spool.append(numbered(0, 3));
  const { log, spooling } = await scene({ spool });

  const answers = await Promise.all([spooling.append(numbered(3, 1)), spooling.append(numbered(4, 1))]);
  await until(() => spooling.isDirect);

  expect(answers.every((answer) => answer === null || answer.length === 1)).toBe(true);
  expect(valuesOf(log.records)).toEqual(['0', '1', '2', '3', '4']);
});

test('a log that fails while appends resume loses nothing and keeps the order', async () => {
  const { log, spooling } = await scene();
  log.unreachable = true;
  await spooling.append(numbered(0, 1));
  log.unreachable = false;
  log.hold();
  // Forwarding is under way and does not end: what comes now is held, then spooled.
  await until(() => log.waiting > 0);
  const held = [1, 2].map((i) => spooling.append(numbered(i, 1)));
  expect(await Promise.all(held)).toEqual([null, null]);
  log.release();
  await until(() => spooling.isDirect);

  expect(firstsOf(log.records)).toEqual({ 'key 0': ['0'], 'key 1': ['1'], 'key 2': ['2'] });
});

test('under continuous load the spool is emptied, and appends go to the log again', async () => {
  const { log, spool, spooling } = await scene({}, { maxBytes: 2 ** 26 });
  const stopping = new AbortController();
  let next = 0;
  const writers = Array.from({ length: 32 }, async () => {
    while (!stopping.signal.aborted) await spooling.append(numbered(next++, 1));
  });
  log.unreachable = true;
  await until(() => spool.messages > 500);
  log.unreachable = false;

  await until(() => spooling.isDirect);
  stopping.abort();
  await Promise.all(writers);

  expect(new Set(valuesOf(log.records)).size).toBe(next);
});

test('a load greater than the log accepts does not keep the spool from being emptied', async () => {
  const log = new FaultyLog();
  // 20,000 records a second; the disk takes ten times as many.
  const slow = {
    append: async (records: readonly NewRecord[]) => {
      await delay(records.length / 20);
      return log.append(records);
    },
    check: () => log.check(),
  };
  const { spool, spooling } = await scene({ log: slow, tickMs: 250 }, { maxBytes: 2 ** 28 });
  const stopping = new AbortController();
  const some = Array.from({ length: 100 }, () => spooled('k', 'x'.repeat(1_000)));
  const writers = Array.from({ length: 16 }, async () => {
    while (!stopping.signal.aborted) await spooling.append(some);
  });
  log.unreachable = true;
  await until(() => spool.bytes > 5 * 2 ** 20);
  log.unreachable = false;

  await until(() => spooling.isDirect);
  stopping.abort();
  await Promise.all(writers);
});

test('while the log is unreachable, a clock that was changed refuses what it would date wrongly', async () => {
  let mayWait = true;
  const { log, spooling } = await scene({ mayWait: () => mayWait });
  log.unreachable = true;
  expect(await spooling.append(numbered(0, 1))).toBeNull();

  mayWait = false;

  await expect(spooling.append(numbered(1, 1))).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' });
});

test(
  'whatever is done to the log, each writer finds its own records there in its order',
  { timeout: 60_000 },
  async () => {
    const { log, spool, spooling } = await scene({}, { maxBytes: 2 ** 26, segmentBytes: 5_000 });
    const acknowledged = new Map<string, string[]>();
    const stopping = new AbortController();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      const mine: string[] = [];
      acknowledged.set(`w${writer}`, mine);
      for (let i = 0; !stopping.signal.aborted; i++) {
        await spooling.append([spooled(`w${writer}`, `${i}`)]);
        mine.push(`${i}`);
      }
    });
    for (let fault = 0; fault < 30; fault++) {
      const [spooled, forwarded] = [spool.spooled, spooling.forwarder.forwarded];
      if (fault % 3 === 0) log.hold();
      else log.unreachable = true;
      // Once in a while it is back before anything has gone to the spool.
      if (fault % 5 !== 0) await until(() => spool.spooled > spooled + 20);
      log.release();
      log.unreachable = false;
      if (fault % 2 === 0) await until(() => spooling.isDirect);
      else await until(() => spooling.forwarder.forwarded > forwarded || spooling.isDirect);
    }
    stopping.abort();
    await Promise.all(writers);
    await until(() => spooling.isDirect);

    expect(firstsOf(log.records)).toEqual(Object.fromEntries(acknowledged));
    expect(spool.spooled).toBeGreaterThan(300);
  },
);

test('closing leaves on disk what waits, and rejects nothing that was accepted', async () => {
  const { log, spool, spooling } = await scene();
  log.unreachable = true;
  await spooling.append(numbered(0, 2));
  log.unreachable = false;
  log.hold();
  await eventually(() => expect(log.waiting).toBeGreaterThan(0));
  const held = spooling.append(numbered(2, 1));

  await spooling.close();

  expect(await held).toBeNull();
  expect(spool.messages).toBe(3);
});
