import { describe, expect, test } from 'vitest';
import { parseBody } from '../../../services/messages/json.ts';
import { validateIdentify, validateTrack } from '../../../services/messages/validate.ts';
import { readAll } from '../../support/service/import-records.ts';

const GOOD = '{"type":"track","user_id":"ada","event":"Paid"}';

async function refusedLines(content: string | Buffer): Promise<number[]> {
  const lines = await readAll(content);
  return lines.filter(({ problems }) => problems !== undefined).map(({ line }) => line);
}

describe('a line', () => {
  test.each([
    ['no object', '5'],
    ['no user', '{"event":"Paid"}'],
    ['a wrong time and a wrong id', '{"user_id":7,"event":"Paid","timestamp":"yesterday"}'],
    ['a NUL', '{"user_id":"a","event":"a\\u0000"}'],
    ['no JSON', '{"user_id":'],
    ['half a surrogate pair', '{"user_id":"\\ud800","event":"a"}'],
  ])('a line with %s is refused for the reasons that /v1/track gives', async (_what, text) => {
    const parsed = parseBody(text);
    const asPosted = parsed.ok ? validateTrack(parsed.value, 'UTC') : parsed;

    const [line] = await readAll(text, { type: 'track', format: 'ndjson' });

    expect(asPosted.ok).toBe(false);
    expect(line?.problems).toEqual(asPosted.ok ? [] : asPosted.problems);
  });

  test('a line becomes the draft that /v1/identify makes, with every digit, in the timezone of the project', async () => {
    const text = '{"user_id":"ada","traits":{"n":9007199254740993,"x":1.50e400},"timestamp":"2026-07-01T12:00:00"}';
    const parsed = parseBody(text);

    const [line] = await readAll(text, { type: 'identify', projectTimezone: 'Europe/Berlin' });

    expect(line?.draft).toEqual(
      parsed.ok && (validateIdentify(parsed.value, 'Europe/Berlin') as { draft: unknown }).draft,
    );
    expect(line?.draft).toMatchObject({ traits: '{"n":9007199254740993,"x":1.50e400}' });
  });

  test('a line names its type, or has the type that was given, or is refused', async () => {
    const untyped = '{"user_id":"ada","event":"Paid"}';

    const given = await readAll(`${untyped}\n{"type":"identify","user_id":"ada"}\n`, { type: 'track' });
    const none = await readAll(untyped);

    expect(given.map(({ draft }) => draft?.type)).toEqual(['track', 'identify']);
    expect(none[0]?.problems).toEqual([{ path: '/type', message: 'is missing' }]);
  });

  test('a line of an SDK means the same as in a batch', async () => {
    const [line] = await readAll('{"type":"page","userId":"ada","messageId":"m","name":"Home"}');

    expect(line?.draft).toMatchObject({ type: 'track', event: 'page', messageId: 'm', properties: '{"name":"Home"}' });
  });

  test('a blank line is skipped', async () => {
    expect((await readAll(`\n${GOOD}\r\n \t\n\n${GOOD}`)).map(({ line }) => line)).toEqual([2, 5]);
  });
});

describe('a line is refused, and those around it are not, where it', () => {
  test('a line whose call is longer than a request may be is refused, its neighbors are not', async () => {
    const long = (bytes: number): string => GOOD.replace('Paid"', `Paid","properties":{"x":"${'x'.repeat(bytes)}"}`);
    const most = 32_768 - long(0).length;
    const ignored = GOOD.replace('Paid"', `Paid","x":"${'x'.repeat(32_768)}"`);

    expect(await refusedLines([GOOD, long(most), long(32_768), ignored, GOOD].join('\n'))).toEqual([3]);
  });

  test.each([1_048_577, 5_000_000])(
    'a huge line (%i bytes) is refused, and only its beginning is kept',
    async (bytes) => {
      const lines = await readAll(`${GOOD}\n${'x'.repeat(bytes)}\n${GOOD}\n${'y'.repeat(bytes)}`, { format: 'ndjson' });

      expect(lines.map(({ problems }) => problems !== undefined)).toEqual([false, true, false, true]);
      expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4]);
      expect(lines[1]?.text.length).toBeLessThanOrEqual(4_096);
    },
  );

  test('a line that is not UTF-8 is refused, its neighbors are not', async () => {
    const broken = Buffer.concat([
      Buffer.from(`${GOOD}\n{"user_id":"`),
      Buffer.from([0xff]),
      Buffer.from(`"}\n${GOOD}`),
    ]);

    expect(await refusedLines(broken)).toEqual([2]);
  });
});

describe('a file', () => {
  test('the beginning of a file shows its format', async () => {
    expect((await readAll(`\uFEFF\n ${GOOD}`)).map(({ draft }) => draft?.userId)).toEqual(['ada']);
    expect((await readAll('type,user_id,event\ntrack,ada,Paid')).map(({ draft }) => draft?.userId)).toEqual(['ada']);
  });

  test('a file of an unknown format is refused', async () => {
    const utf16 = Buffer.from(`\uFEFF${GOOD}`, 'utf16le');

    await expect(readAll(`[${GOOD}]`)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
    await expect(readAll(utf16)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });
  });

  test.each(['', '\n\n', 'a', '\uFEFF'])('a nearly empty file (%j) has no lines', async (content) => {
    expect(await readAll(content)).toEqual([]);
  });
});
