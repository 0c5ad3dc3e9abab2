import { expect, test } from 'vitest';
import { openDatabase } from '../../services/stores/database/open.ts';
import type { VerificationReport } from '../../schemas/verification-report.ts';
import { type Finished, runProgram } from '../support/service/program.ts';
import { recordedIn } from '../support/service/readers-passed.ts';
import type { ServiceProcess } from '../support/service/service.ts';
import { startedService } from '../support/service/shared-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Embedded stores start twice, which takes up to a minute each on a busy machine.
const TIMEOUT = { timeout: 240_000 };

test(
  'tidemark verify exits with 0 where the stores are equal and 3 where not, with and without a running service',
  TIMEOUT,
  async () => {
    const dataDir = await temporaryFolder();
    const service = await startedService(dataDir, { VERIFY_EVERY: 'off' });
    await postAndAwait(service);

    const equal = await tidemark(dataDir, '--json');
    const noProject = await tidemark(dataDir, '--project', 'proj_none');
    const noTime = await tidemark(dataDir, '--since', 'yesterday');
    await service.stop();
    await countTwice(dataDir);
    const different = await tidemark(dataDir, '--since', 'all', '--deep');

    const report = JSON.parse(equal.stdout) as VerificationReport;
    expect(equal).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(verifying.*\n)*$/u) as string });
    expect(report).toMatchObject({ equal: true, hours: [{ messages: 3, repeats: 1 }], profiles: null });
    expect(noProject).toMatchObject({ code: 1, stderr: expect.stringContaining('PROJECT_UNKNOWN') as string });
    expect(noTime).toMatchObject({ code: 2, stderr: expect.stringContaining('COMMAND_INVALID') as string });
    expect(different.code).toBe(3);
    expect(different.stdout).toMatch(new RegExp(`^${report.hours[0]?.project} .* DIFFERENT$`, 'mu'));
    expect(different.stdout).toContain('counted too often in Postgres: 4');
    expect(different.stdout).toContain('profiles compared: 1, different: 0, undecided: 0');
  },
);

/** Posts three messages, one of them twice, and waits until both readers have processed them. */
async function postAndAwait(service: ServiceProcess): Promise<void> {
  const event = { type: 'track', user_id: 'ada', event: 'Signed Up', message_id: 'm1', timestamp: '2026-11-20T10:00Z' };
  const identify = { type: 'identify', user_id: 'ada', traits: { plan: 'pro' } };
  const batch = [event, identify, event, { ...event, message_id: 'm2' }];
  await recordedIn(service, '/v1/batch', { batch });
}

async function countTwice(dataDir: string): Promise<void> {
  const database = await openDatabase(`pglite:${dataDir}/profiles`);
  await database.query('update applied_counts set messages = messages * 2, repeats = repeats * 2');
  await database.close();
}

function tidemark(dataDir: string, ...args: readonly string[]): Promise<Finished> {
  return runProgram(['services/cli/tidemark.ts', 'verify', ...args], { DATA_DIR: dataDir });
}
