import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ProgressRate, withProgress } from '../../services/cli/progress.ts';

describe('progress', () => {
  test('says how much is done, of how much, how fast, and how long it will take', () => {
    let nowMs = 0;
    const rate = new ProgressRate(() => nowMs);
    rate.note({ done: 1_000 });

    nowMs = 10_000;

    expect(rate.describe({ done: 21_000, total: 100_000, unit: 'messages' })).toBe(
      '21,000 of 100,000 messages (21 %), 2,000/s, 40 s left',
    );
  });

  test.each([
    [{ done: 5, unit: 'lines' }, '5 lines'],
    [{ done: 0, total: 0 }, '0 of 0'],
    [{ done: 7, total: 7 }, '7 of 7 (100 %)'],
  ])('says of %o what is known', (progress, said) => {
    expect(new ProgressRate(() => 0).describe(progress)).toBe(said);
  });

  test('is a bar on a terminal, which is left as it was', async () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 200 });
    const chunks: string[] = [];
    terminal.on('data', (chunk: Buffer) => void chunks.push(chunk.toString()));

    const result = await withProgress({ err: () => undefined, terminal }, 'replaying', async (onProgress) => {
      onProgress({ done: 50, total: 100, unit: 'messages' });
      onProgress({ done: 100, total: 100, unit: 'messages' });
      return 'result';
    });

    expect(result).toBe('result');
    expect(chunks.join('')).toContain('replaying ███████████████░░░░░░░░░░░░░░░ 50 of 100 messages (50 %)');
    expect(chunks.join('')).toContain('100 of 100 messages (100 %)');
    expect(chunks.join('').lastIndexOf('\u001b[?25h')).toBeGreaterThan(chunks.join('').lastIndexOf('\u001b[?25l'));
  });

  test('is nothing elsewhere for what takes a moment, and fails as the work does', async () => {
    const said: string[] = [];

    const working = withProgress({ err: (text) => void said.push(text) }, 'replaying', async (onProgress) => {
      onProgress({ done: 1, total: 2 });
      throw new Error('broken');
    });

    await expect(working).rejects.toThrow('broken');
    expect(said).toEqual([]);
  });
});
