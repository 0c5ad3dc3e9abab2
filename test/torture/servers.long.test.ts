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
  // Several sinks keep no audience live.
  live: false,
  // It takes minutes until everybody is forgotten.
  forgetting: false,
  say: () => undefined,
};

const canRun = await canRunOnServers();

test.skipIf(!canRun)(
  'roles and servers under kills and other faults lose nothing, double nothing, and both stores are as the model',
  { timeout: 900_000 },
  async () => {
    const scene = await serversScene({ brokers: 1 });
    try {
      const { report } = await torture(scene, RUN);

      expect(report.findings.kinds, summaryOf(report)).toEqual([]);
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
