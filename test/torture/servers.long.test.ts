import { expect, test } from 'vitest';
import { canRunOnServers } from '../support/service/server-settings.ts';
import { serversScene } from './servers-scene.ts';
import { summaryOf } from './check/summary.ts';
import { torture } from './torture.ts';

const RUN = {
  seed: 3,
  forMs: 6_000,
  kills: 4,
  others: 10,
  lanes: 9,
  pauseMs: 20,
  quietSpeed: 0.02,
  answered: 400,
  replays: true,
  live: true,
  // It takes minutes until everybody is forgotten.
  forgetting: false,
  restoredForMs: 4_000,
  say: () => undefined,
};

const canRun = await canRunOnServers();

test.skipIf(!canRun)(
  'roles and servers under kills and other faults lose nothing, double nothing, and both stores are as the model, after a restore too',
  { timeout: 1_800_000 },
  async () => {
    const scene = await serversScene({ brokers: 1 });
    try {
      const { report } = await torture(scene, RUN);
      const { restored } = report;

      expect([report.findings.kinds, restored?.findings.kinds], summaryOf(report)).toEqual([[], []]);
      expect(restored?.backedUp).toBeGreaterThan(RUN.answered);
      expect(restored?.restore.kills).toBeGreaterThan(0);
      expect(report.faults['kill']).toBe(RUN.kills);
      expect(Math.min(report.replays.profiles, report.replays.analytics)).toBeGreaterThan(0);
      expect(report.compared.generations.length).toBeGreaterThanOrEqual(4);
      expect(report.messages.answered).toBeGreaterThanOrEqual(RUN.answered);
      expect(report.compared.users).toBeGreaterThan(60);
      expect(report.compared.events).toBeGreaterThan(50);
    } finally {
      await scene.close();
    }
  },
);
