import { describe, expect, test } from 'vitest';
import { certificateHash } from '../../../services/operations/erasure/certificate.ts';
import { type ErasedProject, eraseProject } from '../../../services/operations/erasure/forget-users.ts';
import { SettledDeadLetters } from '../../../services/operations/dead-letters/settled-dead-letters.ts';
import { Replay } from '../../../services/operations/replay/replay.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import type { Message } from '../../../services/messages/message.ts';
import type { CommandCall } from '../../../services/runtime/command.ts';
import { deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { EVERYBODY } from '../../../services/stores/erasures/erased-users.ts';
import { ANALYTICS_TABLES } from '../../../services/stores/erasures/places.ts';
import type { ErasureReport } from '../../../services/stores/erasures/erasure.ts';
import { SqlErasures } from '../../../services/stores/erasures/sql-erasures.ts';
import { SqlAuditLog } from '../../../services/stores/service-state/sql-audit-log.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { AMPLE, ask, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { recordOf } from '../../support/messages/messages.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const SILENT = { report: () => undefined, signal: new AbortController().signal };
const TABLES = ['users', 'profiles', 'sightings', 'applied_counts', 'refusals', 'verification_hours'];
/** A project has no rows in the other two. */
const ROWS = Object.keys(ANALYTICS_TABLES)
  .filter((name) => !['user_event_rows', 'held_ranges', 'join_decision_rows'].includes(name))
  .toSorted();

describe.each(await testedForms())('the erasure of a project, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const erase = (project: string, call: CommandCall = SILENT, pauseMs = 1) => {
    const { log, codec, database, analytics } = installation();
    return eraseProject({ log, codec, database, analytics, pauseMs }, { project }, call);
  };
  const erasureOf = async (projectId: string) =>
    (await new SqlErasures(installation().database).newestOf([{ projectId, userKey: EVERYBODY }]))[0];
  const remove = async (id: string, confirm: string) => deleteProject(installation().database, id, confirm);

  test('a project that is deleted is nowhere but on the log, another is whole, and verify finds both equal', async () => {
    const [gone, other] = [await projectWithAll('Gone'), await projectWithAll('Other')];
    const others = await tablesWith(other.projectId);
    expect(others).toEqual([...TABLES, ...ROWS]);

    expect(await remove(gone.projectId, 'Gone')).toEqual({ deleted: true, has: [], leaves: true });
    const result = await erase(gone.projectId);

    expect(result).toMatchObject({ project: gone.projectId, users: 2 });
    expect(await tablesWith(gone.projectId)).toEqual([]);
    expect(await tablesWith(other.projectId)).toEqual(others);
    await installation().append(traffic(gone));
    await installation().readAll();
    expect(await tablesWith(gone.projectId)).toEqual([]);
    const report = await verify(await storesToVerify(installation()), {}, { deep: true, repeatWindowMs: 2 ** 40 });
    expect(report).toMatchObject({ equal: true, skipped: 12, profiles: { different: { count: 0 } } });
    expect(report.hours.map(({ project }) => project)).not.toContain(gone.projectId);
  });

  test('it ends with a certificate, of which the audit log has the hash, and cannot be lifted', async () => {
    const { database } = installation();
    const gone = await projectWithAll('Certified');
    await deleteProject(database, gone.projectId, 'Certified', 'key_1');
    const first = await erase(gone.projectId);
    const { id, report, ...erasure } = (await erasureOf(gone.projectId)) ?? { id: '', report: null };

    expect(await new SqlErasures(database).lift(id)).toBeUndefined();
    expect(await erase(gone.projectId)).toEqual(first);
    expect(erasure).toMatchObject({ state: 'done', actor: 'key_1', cut: null, liftedAt: null });
    const certificate = JSON.parse(report ?? '') as ErasureReport;
    expect(certificate).toMatchObject({ log: null, found_at_end: { postgres: 0, clickhouse: 0 } });
    expect(certificate.postgres).toMatchObject({ users: 2, profiles: 2, sightings: 1, refusals: 1 });
    expect(Object.keys(certificate.clickhouse).toSorted()).toEqual(ROWS);
    const [entry] = await new SqlAuditLog(database).list({ action: 'user.forgotten' }, 1);
    expect(entry).toMatchObject({ object: id, principalId: 'key_1' });
    expect(JSON.parse(entry?.after ?? '')).toEqual({ report_sha256: certificateHash(report ?? '') });
  });

  test('it is deleted from every generation, and a generation of its own is dropped', async () => {
    const gone = await projectWithAll('In generations');
    const { database, analytics } = installation();
    const replay = new Replay(installation());
    const all = await replay.make({ kind: 'analytics', projectId: null }, undefined);
    const own = await replay.make({ kind: 'profiles', projectId: gone.projectId }, undefined);
    await insert(await analytics.ofGeneration(all.number), [gone.track()]);

    await remove(gone.projectId, 'In generations');
    await erase(gone.projectId);

    const found = 'SELECT 1 FROM track_rows WHERE project_id = {p:String}';
    expect(await ask(await analytics.ofGeneration(all.number), found, { p: gone.projectId })).toEqual([]);
    const states = await replay.list();
    expect(states.find((one) => one.kind === 'profiles' && one.number === own.number)?.state).toBe('dropped');
    expect(await database.query('select 1 from live_generations where project_id = $1', [gone.projectId])).toEqual([]);
    await replay.drop('analytics', all.number, SILENT.signal);
  });

  test('an erasure goes on where it was broken off, at whichever step, until it is complete', async () => {
    const gone = await projectWithAll('Broken off');
    await remove(gone.projectId, 'Broken off');
    let step = 0;
    while ((await brokenOffAt(step, gone.projectId)) === undefined) {
      expect(await erasureOf(gone.projectId)).toMatchObject({ state: 'pending' });
      step++;
    }

    expect(step).toBeGreaterThan(4);
    expect(await tablesWith(gone.projectId)).toEqual([]);
  });

  test('a correction that was begun and not appended goes too, and that of another project stays', async () => {
    const [gone, other] = [await projectWithAll('With an edit'), await projectWithAll('With another')];
    const settled = new SettledDeadLetters(installation().database);
    for (const [index, maker] of [gone, other].entries()) {
      const { key, value } = recordOf(maker.track());
      const place = { topic: 'tidemark.track', partition: 0, offset: BigInt(1_000 + index) };
      await settled.beginEdit(place, { key, value, digest: new Uint8Array(32) });
    }

    await remove(gone.projectId, 'With an edit');
    await erase(gone.projectId);

    const left = await installation().database.query('select log_offset from settled_dead_letters');
    expect(left).toEqual([{ log_offset: 1_001n }]);
  });

  test('a project that was not deleted is not erased', async () => {
    const maker = await projectWithAll('Kept');

    await expect(erase(maker.projectId)).rejects.toMatchObject({ code: 'COMMAND_INVALID' });

    expect(await tablesWith(maker.projectId)).toContain('users');
  });

  async function brokenOffAt(step: number, project: string): Promise<ErasedProject | undefined> {
    const breaking = new AbortController();
    let reports = 0;
    const report = (): void => {
      if (reports++ === step) breaking.abort(new Error('broken off'));
    };
    try {
      return await erase(project, { report, signal: breaking.signal });
    } catch (error) {
      expect(error).toMatchObject({ message: 'broken off' });
      return undefined;
    }
  }

  /** A project with messages that were read, and a row in every other table. */
  async function projectWithAll(name: string): Promise<MessageMaker> {
    const { database, analytics } = installation();
    const { id } = await new SqlProjectStore(database).createProject({ name, timezone: 'UTC', rateLimit: null });
    const maker = new MessageMaker(id);
    await installation().append(traffic(maker));
    await installation().readAll();
    await database.query(
      `insert into refusals values ($1, '', '/v1/track', 'invalid-body', '', 1, 1, 0, 0, 'no', null)`,
      [id],
    );
    await database.query(`insert into verification_hours values ('last', $1, $2, true, '{}')`, [
      BigInt(Math.floor(Math.random() * 2 ** 40)),
      id,
    ]);
    const members = `SELECT user, 'ada' AS user_id, '' AS anonymous_id, '' AS internal_id, true AS is_in
                     FROM users WHERE project_id = {p:String}`;
    const evaluation = {
      projectId: id,
      audienceId: 'aud_1',
      at: 1_700_000_000_000_000n,
      version: 1,
      cause: 'first',
    } as const;
    await analytics.difference(evaluation, { sql: members, params: { p: id } }, AMPLE);
    await analytics.finalize(evaluation);
    return maker;
  }

  /** The tables that have rows of a project. */
  async function tablesWith(project: string): Promise<readonly string[]> {
    const { database, analytics } = installation();
    const tables: string[] = [];
    for (const table of TABLES) {
      if ((await database.query(`select 1 from ${table} where project_id = $1 limit 1`, [project])).length > 0) {
        tables.push(table);
      }
    }
    for (const table of ROWS) {
      const found = await ask(analytics, `SELECT 1 FROM ${table} WHERE project_id = {p:String} LIMIT 1`, {
        p: project,
      });
      if (found.length > 0) tables.push(table);
    }
    return tables;
  }
});

/** Six messages of two users. */
function traffic(maker: MessageMaker): readonly Message[] {
  return [
    maker.track({ timestamp: 5n }),
    maker.track({ messageIdGiven: false }),
    maker.track({ userId: 'ben', anonymousId: 'a-1' }),
    maker.identify({ traits: '{"plan":"pro","old":null}' }),
    maker.identify({ userId: 'ben', traits: '{"plan":"free"}' }),
    maker.session(),
  ];
}
