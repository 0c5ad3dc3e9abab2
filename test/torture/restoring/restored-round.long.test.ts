import { expect, test } from 'vitest';
import { summaryOf } from '../check/summary.ts';
import { embeddedScene } from '../embedded-scene.ts';
import { torture } from '../torture.ts';

const RUN = {
  seed: 5,
  forMs: 6_000,
  kills: 2,
  others: 6,
  lanes: 9,
  pauseMs: 20,
  quietSpeed: 0.02,
  answered: 400,
  replays: true,
  live: true,
  forgetting: true,
  restoredForMs: 6_000,
  say: () => undefined,
};

test(
  'a service restored from a backup under kills, while callers post, has what the backup has and what it answered since, and nobody who was forgotten',
  { timeout: 1_800_000 },
  async () => {
    const scene = await embeddedScene();
    try {
      const { report } = await torture(scene, RUN);
      const { restored } = report;

      expect([report.findings.kinds, restored?.findings.kinds], summaryOf(report)).toEqual([[], []]);
      expect(restored?.backedUp).toBeGreaterThan(RUN.answered);
      expect(restored?.lost).toBeGreaterThan(0);
      expect(restored?.restore.kills).toBeGreaterThan(0);
      expect(restored?.faults['kill']).toBe(RUN.kills);
      expect(restored?.messages.answered).toBeGreaterThanOrEqual(RUN.answered);
      expect(report.forgotten).toBeGreaterThan(0);
    } finally {
      await scene.close();
    }
  },
);
