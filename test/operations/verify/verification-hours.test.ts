import { beforeEach, describe, expect, test } from 'vitest';
import { SqlJobStore } from '../../../services/operations/jobs/sql-job-store.ts';
import type { HourReport } from '../../../schemas/verification-report.ts';
import { keepHours, keptHours } from '../../../services/operations/verify/verification-hours.ts';
import { DATABASES } from '../../support/stores/tested-databases.ts';

const NONE = { postgres: 0, clickhouse: 0 };

/** @param n Hours before noon. */
function hourReport(n: number, project: string, equal = true): HourReport {
  const hour = new Date(Date.UTC(2026, 10, 24, 12 - n)).toISOString().replace('Z', '000Z');
  const messages = { expected: 3, found: equal ? 3 : 2 };
  const none = { not_yet: NONE, unknown: NONE, dead_letters: NONE };
  return { project, hour, messages: 3, repeats: 0, postgres: messages, clickhouse: messages, ...none, equal };
}

describe.each(DATABASES)('hours of verifications, on $name', ({ share }) => {
  const database = share();
  beforeEach(() => database().script('delete from verification_hours; delete from jobs'));
  const found = async (filter: Omit<Parameters<typeof keptHours>[1], 'verification'> = {}, limit = 100) =>
    (await keptHours(database(), { verification: 'job_1', ...filter }, limit)).map(
      ({ hour, project }) => `${hour.slice(11, 13)} ${project}`,
    );

  test('hours come back as they were, the newest first, by project and difference, in pages', async () => {
    const hours = [hourReport(1, 'a'), hourReport(0, 'b', false), hourReport(0, 'a'), hourReport(1, 'b')];
    await keepHours(database(), 'job_2', [hourReport(5, 'a')]);
    await keepHours(database(), 'job_1', hours);

    expect(await keptHours(database(), { verification: 'job_1', project: 'b' }, 1)).toEqual([hours[1]]);
    expect(await found()).toEqual(['12 a', '12 b', '11 a', '11 b']);
    expect(await found({ isDifferent: true })).toEqual(['12 b']);
    expect(await found({ isDifferent: false, project: 'b' })).toEqual(['11 b']);
    expect(await found({ after: { hourMs: Date.UTC(2026, 10, 24, 12), project: 'a' } }, 2)).toEqual(['12 b', '11 a']);
  });

  test('hours that are kept again replace those before, and of too many the ones that differ and the newest stay', async () => {
    await keepHours(database(), 'job_1', [hourReport(3, 'old')]);
    await keepHours(database(), 'job_1', [hourReport(0, 'a'), hourReport(1, 'a'), hourReport(2, 'a', false)], 2);

    expect(await found()).toEqual(['12 a', '10 a']);
    await keepHours(database(), 'job_1', []);
    expect(await found()).toEqual([]);
  });

  test('the hours of twenty verifications are kept, and of the last by the service itself', async () => {
    const jobs = new SqlJobStore(database());
    const own = await jobs.add({ kind: 'verify', args: { hours: 3 }, principal: 'service' }, 'me');
    await keepHours(database(), own.id, [hourReport(0, 'a')]);
    for (let n = 0; n < 23; n++) {
      const { id } = await jobs.add({ kind: 'verify', args: {}, principal: 'local' }, 'me');
      await keepHours(database(), id, [hourReport(0, 'a')]);
    }

    const rows = await database().query<{ verification: string }>('select verification from verification_hours');

    expect(rows).toHaveLength(21);
    expect(rows.map(({ verification }) => verification)).toContain(own.id);
  });
});
