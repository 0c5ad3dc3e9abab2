import { describe, expect, onTestFinished, test } from 'vitest';
import { LmdbEventLog } from '../../../services/event-log/lmdb/lmdb-event-log.ts';
import type { AppendMaterial, MadeAppend, Material } from '../../../services/event-log/record-maker.ts';
import { placeOf, readCount, record, text, until } from '../../support/event-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MAKER = new URL('../../support/text-maker.ts', import.meta.url);
const IN_T = { topic: 't' };

function material(content: string, shared: object = IN_T): Material {
  const bytes = Buffer.from(content);
  return { shared, length: bytes.length, write: (target, at) => target.set(bytes, at) };
}

async function open(): Promise<{ log: LmdbEventLog; append: AppendMaterial }> {
  const log = await LmdbEventLog.open({ folder: await temporaryFolder(), topics: ['t', 'u'] });
  onTestFinished(() => log.close());
  return { log, append: await log.openMaker(MAKER) };
}

async function valuesByPlace(log: LmdbEventLog, count: number): Promise<Map<string, string>> {
  const reader = await log.openReader({ group: 'g', topics: ['t', 'u'], start: () => Promise.resolve([]) });
  const read = await readCount(reader, count);
  return new Map(read.map((one) => [placeOf(one), text(one.value)]));
}

/** The places that a report names. */
function placesIn(made: MadeAppend | null): string[] {
  return made!.report.split(',').map((place) => place.replace(' 😀', ''));
}

describe('records that the log makes itself', () => {
  test('encoded records are at the coordinates that the report gives, in order, on the topic of their job', async () => {
    const { log, append } = await open();

    const made = await Promise.all([
      append(material('a,b,a')),
      append(material('c', { topic: 'u' })),
      append(material('d')),
    ]);

    const values = await valuesByPlace(log, 5);
    expect(made.map((one) => placesIn(one).map((place) => values.get(place)))).toEqual([['a', 'b', 'a'], ['c'], ['d']]);
    expect(placesIn(made[1])[0]).toMatch(/^u\//);
    expect(Math.abs(made[0]!.appendedAtMs - Date.now())).toBeLessThan(60_000);
  });

  test('encode jobs share batches with appended records, hundreds at once, each record once', async () => {
    const { log, append } = await open();

    const [made, appended] = await Promise.all([
      Promise.all(Array.from({ length: 500 }, (_, i) => append(material(`made-${i}`)))),
      Promise.all(Array.from({ length: 500 }, (_, i) => log.append([record('t', `key-${i}`, `own-${i}`)]))),
    ]);

    const values = await valuesByPlace(log, 1_000);
    expect(values.size).toBe(1_000);
    expect(made.map((one) => values.get(placesIn(one)[0]!))).toEqual(made.map((_, i) => `made-${i}`));
    expect(appended.map(([one]) => values.get(placeOf(one!)))).toEqual(appended.map((_, i) => `own-${i}`));
  });

  test.each([['nothing'], ['throw'], ['huge']])(
    'an encode job of %s appends no record and does not delay other jobs',
    async (content) => {
      const { log, append } = await open();

      const made = await Promise.all([
        append(material('a')),
        append(material(content)),
        append(material('x', { topic: 'unknown' })),
        append(material('b,c')),
      ]);

      expect([made[1], made[2]]).toEqual([null, null]);
      const values = await valuesByPlace(log, 3);
      expect([...placesIn(made[0]), ...placesIn(made[3])].map((place) => values.get(place))).toEqual(['a', 'b', 'c']);
      expect(values.size).toBe(3);
    },
  );

  test('a batch in which no job yields a record appends nothing', async () => {
    const { log, append } = await open();

    expect(await Promise.all([append(material('nothing')), append(material('throw'))])).toEqual([null, null]);
    const ends = await log.ends(['t', 'u']);
    expect(ends.every(({ offset }) => offset === 0n)).toBe(true);
  });

  test('encode jobs are refused together when their thread dies, and accepted again once it has restarted', async () => {
    const { log, append } = await open();
    await append(material('before'));

    const dying = ['a', 'die', 'b'].map((content) => append(material(content)).catch((error: unknown) => error));
    for (const error of await Promise.all(dying)) expect(error).toMatchObject({ code: 'LOG_UNAVAILABLE' });

    // Until the module is loaded again none is made, and nobody waits for it.
    await until(async () => (await append(material('after'))) !== null);
    const values = [...(await valuesByPlace(log, 2)).values()];
    expect(values.sort()).toEqual(['after', 'before']);
  });

  test('encode jobs finish before the log closes, and are refused afterwards', async () => {
    const { log, append } = await open();

    const made = Promise.all(Array.from({ length: 100 }, (_, i) => append(material(`${i}`))));
    await log.close();

    expect((await made).filter((one) => one === null)).toEqual([]);
    await expect(append(material('late'))).rejects.toMatchObject({ code: 'STOPPING' });
    await expect(log.openMaker(MAKER)).rejects.toMatchObject({ code: 'STOPPING' });
  });

  test('a log that closes meanwhile refuses to open an encoder', async () => {
    const log = await LmdbEventLog.open({ folder: await temporaryFolder(), topics: ['t'] });

    const opened = log.openMaker(MAKER).catch((error: unknown) => error);
    await log.close();

    const outcome = await opened;
    if (typeof outcome !== 'function') expect(outcome).toMatchObject({ code: 'STOPPING' });
  });

  test('a missing encoder module is reported, and appends continue', async () => {
    const log = await LmdbEventLog.open({ folder: await temporaryFolder(), topics: ['t'] });
    onTestFinished(() => log.close());

    await expect(log.openMaker(new URL('no-such-maker.ts', MAKER))).rejects.toMatchObject({
      code: 'LOG_UNAVAILABLE',
      message: expect.stringContaining('no-such-maker'),
    });
    expect(await log.append([record('t', 'k', 'v')])).toHaveLength(1);
  });

  test('an encode job of more bytes than a batch may have is refused at once', async () => {
    const { append } = await open();
    const large = { shared: IN_T, length: 9 * 2 ** 20, write: () => undefined };

    expect(() => append(large)).toThrow(RangeError);
  });
});
