/** Verifications over HTTP, of real stores. */
import { describe, expect, test } from 'vitest';
import { SqlStoreFigures } from '../../../services/operations/status/store-figures.ts';
import type { HourReport } from '../../../schemas/verification-report.ts';
import { verifyPeriod } from '../../../services/operations/verify/verify-commands.ts';
import type { FoundDifference, TellDifference } from '../../../services/operations/verify/last-verification.ts';
import type { JobCommands } from '../../../services/operations/jobs/job.ts';
import { liveStores } from '../../../services/stores/generations/live-stores.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { serveAdmin } from '../../support/http/admin-server.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

interface Answered {
  readonly verification: { readonly id: string; readonly state: string; readonly result: Record<string, unknown> };
  readonly hours: readonly HourReport[];
  readonly next_cursor: string | null;
  readonly code?: string;
  readonly detail?: string;
}

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('verifications', () => {
  const installation = sharedInstallation('embedded');
  const [one, other] = [new MessageMaker(), new MessageMaker()];
  const noon = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
  const all = '/v1/admin/verifications';

  const differences: FoundDifference[] = [];
  const tell: TellDifference = async (_, found) => void differences.push(found);

  let filling: Promise<void> | undefined;
  const fill = async (): Promise<void> => {
    const hours = [0n, 1n, 2n].map((n) => noon + n * 3_600_000_000n);
    await installation().append(
      hours.flatMap((receivedAt) => [one.track({ receivedAt }), other.track({ receivedAt })]),
    );
    await installation().readAll();
  };

  const serve = async () => {
    await (filling ??= fill());
    const { log, codec, database, analytics } = installation();
    const projects = new SqlProjectStore(database);
    const parts = { log, codec, database, analytics, projects, repeatWindowMs: 2 ** 40, tell, logger };
    const asked: JobCommands['verify'] = (args, call) => verifyPeriod(parts, args, call);
    const figures = new SqlStoreFigures(database, liveStores(database, analytics).analytics);
    const { client, jobs } = await serveAdmin(
      await temporaryFolder(),
      { figures, commands: { verify: asked } },
      { database },
    );
    const read = async (path: string, status = 200): Promise<Answered> => {
      const answer = await client.fetch(all + path, {});
      expect(answer.status, path).toBe(status);
      return (await answer.json()) as Answered;
    };
    const start = async (): Promise<string> => {
      const answer = await client.fetch(all, { method: 'POST', body: '{"since":"all"}' });
      expect(answer.status).toBe(202);
      const { id } = (await answer.json()) as { id: string };
      await client.fetch(`/v1/admin/jobs/${id}?wait=30`, {});
      return id;
    };
    return { read, start, jobs };
  };

  test('a verification is read by project and hour, in pages, its job without them', async () => {
    const { read, start } = await serve();
    const id = await start();

    const first = await read(`/${id}?limit=4`);
    const second = await read(`/${id}?limit=4&cursor=${first.next_cursor}`);
    const ofOne = await read(`/${id}?project=${one.projectId}`);

    expect(first.verification).toMatchObject({ id, state: 'done' });
    expect(first.verification.result).toMatchObject({ equal: true, hours_compared: 6, hours_different: 0 });
    expect(first.verification.result).not.toHaveProperty('hours');
    expect([...first.hours, ...second.hours].map(({ hour }) => hour.slice(11, 13))).toEqual([
      '14',
      '14',
      '13',
      '13',
      '12',
      '12',
    ]);
    expect([first.next_cursor === null, second.next_cursor]).toEqual([false, null]);
    expect(ofOne.hours).toHaveLength(3);
    expect(ofOne.hours[0]).toMatchObject({ messages: 1, postgres: { expected: 1, found: 1 }, equal: true });
  });

  test('hours that differ are found, of a verification that was started and of the last by the service itself', async () => {
    const { read, start, jobs } = await serve();
    await read('/last', 404);
    await installation().alterAnalytics(
      `ALTER TABLE track_rows DELETE WHERE project_id = '${other.projectId}' AND received_at < '2026-11-20 12:30:00' SETTINGS mutations_sync = 2`,
    );
    const id = await start();
    const hours = Math.ceil((Date.now() - Number(noon / 1_000n)) / 3_600_000) + 1;
    const own = await jobs.start({ kind: 'verify', args: { hours }, principal: 'service' });
    await expect.poll(async () => (await jobs.find(own.id))?.state, { timeout: 30_000 }).toBe('done');

    expect(await read('')).toMatchObject({ last: { hours_compared: 6, missing: { clickhouse: 1 } } });
    for (const verification of [id, 'last']) {
      const { verification: shown, hours } = await read(`/${verification}?differing=true`);
      expect(shown).toMatchObject({ id: verification, state: 'done', result: { equal: false, hours_different: 1 } });
      expect(hours).toMatchObject([{ project: other.projectId, clickhouse: { expected: 1, found: 0 }, equal: false }]);
      expect((await read(`/${verification}?differing=false`)).hours).toHaveLength(5);
    }
    const found = { missing: { postgres: 0, clickhouse: 1 }, hoursDifferent: 1 };
    expect(differences).toMatchObject([
      { job: id, ...found },
      { job: null, ...found },
    ]);
  });
});
