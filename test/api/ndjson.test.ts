import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CountedLines, type Ending, ndjsonAnswer } from '../../services/api/ndjson.ts';

/** What the answer of these chunks sends, and what its last line was made from. */
async function sent(chunks: readonly (string | Uint8Array)[]) {
  const endings: Ending[] = [];
  const lines = new CountedLines(all(chunks));
  const end = (): object => {
    endings.push(lines.ending());
    return { end: true };
  };
  const { body } = ndjsonAnswer(lines, { end });
  const text = (await buffer(body as Readable)).toString();
  return { text, endings };
}

async function* all(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

test('lines come as they are, wherever they are cut, and one more', async () => {
  const { text, endings } = await sent(['{"a"', ':1}\n{"a', '":2}', '\n']);

  expect(text).toBe('{"a":1}\n{"a":2}\n{"end":true}\n');
  expect(endings).toEqual([{ lines: 2, lastLine: '{"a":2}' }]);
});

test('an empty NDJSON stream has the last line only', async () => {
  expect(await sent([])).toEqual({ text: '{"end":true}\n', endings: [{ lines: 0, lastLine: '' }] });
});

test('the last line is found whole where it is the longest that there is, a byte a chunk or all in one', async () => {
  const longest = JSON.stringify({ user_id: '\u0001'.repeat(512) });
  const bytes = Buffer.from(`{"a":1}\n${longest}\n`);

  const byByte = await sent(Array.from(bytes, (byte) => Uint8Array.of(byte)));
  const inOne = await sent([bytes]);

  expect(byByte.endings).toEqual([{ lines: 2, lastLine: longest }]);
  expect(inOne.endings).toEqual(byByte.endings);
});

test('a character cut between two chunks comes whole', async () => {
  const line = Buffer.from('{"a":"🌊"}\n');

  const { text, endings } = await sent([line.subarray(0, 8), line.subarray(8)]);

  expect(text).toBe('{"a":"🌊"}\n{"end":true}\n');
  expect(endings[0]?.lastLine).toBe('{"a":"🌊"}');
});

test('a failure on the way cuts the answer short of its last line', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('{"a":1}\n');
    throw new Error('as ordered');
  }
  const { body } = ndjsonAnswer(failing(), { end: () => ({}) });
  const seen: string[] = [];

  await expect(
    (async () => {
      for await (const chunk of body as Readable) seen.push(String(chunk));
    })(),
  ).rejects.toThrow('as ordered');
  expect(seen.join('')).not.toContain('{}');
});

test('an answer that nobody reads lets go of what it would have read', async () => {
  let left = false;
  const lines: AsyncIterableIterator<Uint8Array> = {
    next: () => new Promise(() => undefined),
    return: async () => {
      left = true;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => lines,
  };
  const { body } = ndjsonAnswer(new CountedLines(lines), { end: () => ({}) });

  (body as Readable).destroy();

  await expect.poll(() => left).toBe(true);
});
