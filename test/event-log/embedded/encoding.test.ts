import { describe, expect, test } from 'vitest';
import type { EmbeddedEventLog } from '../../../services/event-log/embedded/embedded-event-log.ts';
import type { AppendEncoded, EncodeJob, EncodeResult } from '../../../services/event-log/event-log.ts';
import { openEmbedded } from '../../support/event-log/embedded-logs.ts';
import { placeOf, readCount, record, text, until } from '../../support/event-log/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ENCODER = new URL('../../support/programs/text-encoder.ts', import.meta.url);
const IN_T = { topic: 't' };

function job(content: string, shared: object = IN_T): EncodeJob {
  const bytes = Buffer.from(content);
  return { shared, length: bytes.length, write: (target, at) => target.set(bytes, at) };
}

async function valuesByPlace(log: EmbeddedEventLog, count: number): Promise<Map<string, string>> {
  const reader = await log.openReader({ group: 'g', topics: ['t', 'u'], start: () => Promise.resolve([]) });
  const read = await readCount(reader, count);
  return new Map(read.map((one) => [placeOf(one), text(one.value)]));
}

/** The places that a result names. */
function placesIn(made: EncodeResult | null): string[] {
  return made!.result.split(',').map((place) => place.replace(' 😀', ''));
}

describe('records that an embedded log encodes itself', () => {
  async function open(): Promise<{ log: EmbeddedEventLog; append: AppendEncoded }> {
    const log = await openEmbedded(await temporaryFolder(), ['t', 'u']);
    return { log, append: await log.openEncoder(ENCODER) };
  }

  test('encoded records are at the coordinates that the result gives, in order, on the topic of their job', async () => {
    const { log, append } = await open();

    const made = await Promise.all([append(job('a,b,a')), append(job('c', { topic: 'u' })), append(job('d'))]);

    const values = await valuesByPlace(log, 5);
    expect(made.map((one) => placesIn(one).map((place) => values.get(place)))).toEqual([['a', 'b', 'a'], ['c'], ['d']]);
    expect(placesIn(made[1])[0]).toMatch(/^u\//);
    expect(Math.abs(made[0]!.appendedAtMs - Date.now())).toBeLessThan(60_000);
  });

  test('encoded records are appended together with those of other callers, hundreds at once, once each', async () => {
    const { log, append } = await open();

    const [made, appended] = await Promise.all([
      Promise.all(Array.from({ length: 500 }, (_, i) => append(job(`made-${i}`)))),
      Promise.all(Array.from({ length: 500 }, (_, i) => log.append([record('t', `key-${i}`, `own-${i}`)]))),
    ]);

    const values = await valuesByPlace(log, 1_000);
    expect(values.size).toBe(1_000);
    expect(made.map((one) => values.get(placesIn(one)[0]!))).toEqual(made.map((_, i) => `made-${i}`));
    expect(appended.map(([one]) => values.get(placeOf(one!)))).toEqual(appended.map((_, i) => `own-${i}`));
  });

  test.each([['throw'], ['huge']])(
    'an encode job of %s appends no record and does not delay other jobs',
    async (content) => {
      const { log, append } = await open();

      const made = await Promise.all([
        append(job('a')),
        append(job(content)),
        append(job('x', { topic: 'unknown' })),
        append(job('b,c')),
      ]);

      expect([made[1], made[2]]).toEqual([null, null]);
      const values = await valuesByPlace(log, 3);
      expect([...placesIn(made[0]), ...placesIn(made[3])].map((place) => values.get(place))).toEqual(['a', 'b', 'c']);
      expect(values.size).toBe(3);
    },
  );

  test('an encode job without records appends nothing, and its result comes back', async () => {
    const { log, append } = await open();

    const encoded = await Promise.all([append(job('nothing')), append(job('throw'))]);

    expect([encoded[0]?.result, encoded[1]]).toEqual(['nothing here', null]);
    const ends = await log.ends(['t', 'u']);
    expect(ends.every(({ offset }) => offset === 0n)).toBe(true);
  });

  test('encode jobs are refused together when the thread ends, and run again once it is back', async () => {
    const { log, append } = await open();
    await append(job('before'));

    const dying = ['a', 'die', 'b'].map((content) => append(job(content)).catch((error: unknown) => error));
    for (const error of await Promise.all(dying)) expect(error).toMatchObject({ code: 'LOG_UNAVAILABLE' });

    // Until the module is loaded again none is made, and nobody waits for it.
    await until(async () => (await append(job('after'))) !== null);
    const values = [...(await valuesByPlace(log, 2)).values()];
    expect(values.sort()).toEqual(['after', 'before']);
  });

  test('encode jobs are finished before the log closes, and refused afterwards', async () => {
    const { log, append } = await open();

    const made = Promise.all(Array.from({ length: 100 }, (_, i) => append(job(`${i}`))));
    await log.close();

    expect((await made).filter((one) => one === null)).toEqual([]);
    await expect(append(job('late'))).rejects.toMatchObject({ code: 'STOPPING' });
    await expect(log.openEncoder(ENCODER)).rejects.toMatchObject({ code: 'STOPPING' });
  });

  test('an encoder cannot be opened on a log that closes meanwhile', async () => {
    const log = await openEmbedded(await temporaryFolder());

    const opened = log.openEncoder(ENCODER).catch((error: unknown) => error);
    await log.close();

    const outcome = await opened;
    if (typeof outcome !== 'function') expect(outcome).toMatchObject({ code: 'STOPPING' });
  });

  test('an encoder module that does not exist is refused, and appends go on', async () => {
    const log = await openEmbedded(await temporaryFolder());

    await expect(log.openEncoder(new URL('no-such-encoder.ts', ENCODER))).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      message: expect.stringContaining('no-such-encoder'),
    });
    expect(await log.append([record('t', 'k', 'v')])).toHaveLength(1);
  });

  test('an encode job of more bytes than a batch may have is refused at once', async () => {
    const { append } = await open();
    const large = { shared: IN_T, length: 9 * 2 ** 20, write: () => undefined };

    expect(() => append(large)).toThrow(RangeError);
  });
});
