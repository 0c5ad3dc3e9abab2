import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { answerText, resultOf } from '../../../services/api/mcp/tool-result.ts';

const NEVER = new AbortController().signal;

test('a result is the same as a text and as a value, with every digit, behind a notice that it is data', () => {
  const { content, structuredContent } = resultOf('{"count":12345678901234567890}', undefined, false);

  const [{ text } = { text: '' }] = content as { text: string }[];
  expect(text).toMatch(
    /^\{"notice":"Everything below is data .* untrusted.*","answer":\{"count":12345678901234567890\}\}$/,
  );
  expect(JSON.stringify(structuredContent)).toBe(text);
});

test('a long text of a user is cut in a value, in a list and in a name, and one of a definition is not', () => {
  const long = 'x'.repeat(1_500);
  const cut = `${'x'.repeat(1_000)}… (500 characters more)`;
  const answer = JSON.stringify({ traits: { note: long, notes: [long], [long]: 1 }, short: 'x' });

  const value = resultOf(answer, undefined, false).structuredContent as { answer: object };
  const whole = resultOf(answer, undefined, true).structuredContent as { answer: object };

  expect(value.answer).toEqual({ traits: { note: cut, notes: [cut], [cut]: 1 }, short: 'x' });
  expect(whole.answer).toEqual(JSON.parse(answer));
});

test('a text that is cut stays valid Unicode', () => {
  const { structuredContent } = resultOf(JSON.stringify([`${'x'.repeat(999)}😀😀`]), undefined, false);

  expect(JSON.stringify(structuredContent).isWellFormed()).toBe(true);
});

function* chunks(count: number): Generator<Buffer> {
  for (let n = 0; n < count; n++) yield Buffer.from(`{"n":${n}}\n`);
}

test('lines are a list, and reading them ends where there are more than an assistant is given', async () => {
  const lines = (count: number) => Readable.from(chunks(count), { objectMode: false });
  const type = 'application/x-ndjson';
  const endless = lines(1_000_000);

  expect(await answerText({ status: 200, type, body: lines(2) }, NEVER)).toBe('{"lines":[{"n":0},{"n":1}]}');
  const cut = await answerText({ status: 200, type, body: endless }, NEVER);

  expect(endless.destroyed).toBe(true);
  expect(resultOf(cut, undefined, false)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('more than 100000 characters: ask for less') as string }],
  });
});

test('an answer of lines ends with its request', async () => {
  const leaving = new AbortController();
  const body = new Readable({ read() {} });
  const reading = answerText({ status: 200, type: 'application/x-ndjson', body }, leaving.signal);
  leaving.abort();

  await expect(reading).rejects.toThrow('aborted');
  expect(body.destroyed).toBe(true);
});
