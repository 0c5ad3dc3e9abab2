import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { Floods } from './floods.ts';

const FOR_MS = 6_000;

const canRun = await canRunOnServers();

describe.skipIf(!canRun)('with more work than it can do and a slow store behind it', () => {
  let floods: Floods;
  beforeAll(async () => {
    floods = await Floods.start();
  }, 240_000);
  afterAll(() => floods?.close());

  test('ingest answers 429, holds no more, and loses nothing', { timeout: 240_000 }, async () => {
    const { answers, startMiB, peakMiB, wrong } = await floods.run('ingest', FOR_MS);

    expect(wrong).toEqual([]);
    expect(answers['429']).toBeGreaterThan(0);
    expect(peakMiB - startMiB).toBeLessThan(300);
  });

  test.each(['projector', 'sink'] as const)(
    '%s holds a bounded part of its backlog, and loses nothing',
    { timeout: 240_000 },
    async (name) => {
      const { startMiB, peakMiB, wrong } = await floods.run(name, FOR_MS);

      expect(wrong).toEqual([]);
      expect(peakMiB - startMiB).toBeLessThan(300);
    },
  );

  test('questions are refused rather than kept waiting without end', { timeout: 240_000 }, async () => {
    const { answers, startMiB, peakMiB, wrong } = await floods.run('queries', FOR_MS);

    expect(wrong).toEqual([]);
    expect(answers['429']).toBeGreaterThan(0);
    expect(peakMiB - startMiB).toBeLessThan(300);
  });
});
