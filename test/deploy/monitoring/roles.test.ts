/** What each role tells of what its dashboard and the alerts read. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dashboards } from '../../../deploy/monitoring/make-dashboards.ts';
import { canRunOnServers } from '../../support/service/server-settings.ts';
import type { ServiceProcess } from '../../support/service/service.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { sharedServersWithRights } from '../../support/stores/servers-with-rights.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expressionsIn, metricsIn, missingIn, rules } from './named-metrics.ts';

const PATIENCE = { timeout: 60_000, interval: 500 };
const STARTED_ROLES = ['ingest', 'projector', 'sink', 'webhooks'] as const;

async function metricsOf(service: ServiceProcess): Promise<string> {
  return (await service.request('/metrics')).text();
}

describe.skipIf(!(await canRunOnServers()))('on servers', () => {
  const servers = sharedServersWithRights();

  test(
    'each role tells what its dashboard reads, and all together what the alerts read',
    { timeout: 240_000 },
    async () => {
      const folder = await temporaryFolder();
      const folders = { SPOOL_DIR: join(folder, 'spool'), BACKUP_DIR: join(folder, 'backups') };
      // Two processes answer as one: what they tell together is what one tells.
      const ofRole = { ingest: { ...folders, INGEST_PROCESSES: '2' }, projector: folders, sink: folders, webhooks: {} };
      const running = new Map<string, ServiceProcess>();
      for (const role of STARTED_ROLES) {
        const settings = { ...servers().users.settingsOf(role === 'ingest' ? 'admin' : role), ...ofRole[role] };
        running.set(role, await startedService(join(folder, role), settings, role));
      }
      const textOf = async (role: string): Promise<string> => {
        const service = running.get(role);
        return service === undefined ? '' : metricsOf(service);
      };
      await expect
        .poll(() => textOf('ingest'), PATIENCE)
        .toContain('tidemark_reader_processes{reader="import-sink"} 1\n');

      const texts = await Promise.all(STARTED_ROLES.map(async (role) => [role, await textOf(role)] as const));

      for (const [role, text] of texts) {
        const read = expressionsIn(dashboards().get(`tidemark-${role}.json`) ?? '');
        expect(missingIn(metricsIn(text), read), role).toEqual([]);
        expect(text).toMatch(new RegExp(`^tidemark_build_info\\{[^}]*role="${role}"[^}]*\\} 1$`, 'm'));
      }
      const metrics = metricsIn(texts.map(([, text]) => text).join('\n'));
      expect(
        missingIn(
          metrics,
          rules().map(({ expr }) => expr),
        ),
      ).toEqual([]);
      const kindsIn = (text: string) =>
        [...text.matchAll(/^tidemark_job_overdue\w+\{kind="(\w+)"\}/gm)].map(([, kind = '']) => kind);
      const overdue = texts.map(([, text]) => kindsIn(text).sort());
      // Each process has the folder for backups here; verifications are begun by sinks.
      expect(overdue).toEqual([['backup'], ['backup'], ['backup', 'verify'], []]);

      await running.get('sink')?.stop();
      await expect.poll(() => textOf('projector'), PATIENCE).toContain('tidemark_reader_processes{reader="sink"} 0\n');
    },
  );
});
