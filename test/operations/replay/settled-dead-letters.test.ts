import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listDeadLetters } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { Editor } from '../../../services/operations/dead-letters/editor.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { DEAD_LETTER_TOPIC } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import type { GenerationKind } from '../../../services/stores/generations/generation.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import type { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { ask } from '../../support/stores/analytics.ts';
import { newStores } from '../../support/stores/new-stores.ts';
import { codec, identify } from '../../support/messages/messages.ts';
import { randomProjectId } from '../../support/messages/random-project.ts';
import { ReplayScene } from '../../support/service/replay-scene.ts';

const CALL = { report: () => undefined, signal: new AbortController().signal };
const SLOW = { timeout: 120_000 };
/** Users that a constraint, which a person added, refuses. */
const [REPLAYED, DROPPED, EDITED, WAITING] = ['bad-replayed', 'bad-dropped', 'bad-edited', 'bad-waiting'] as const;

/** Two users for each name: the caller gives the ids of the first one's messages, and the service those of the other's. */
function both(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name, `${name}-unnamed`]);
}

const AS_DECIDED = ['good', ...both(REPLAYED, 'corrected')].toSorted();

describe('what was decided about dead letters', () => {
  let scene: ReplayScene;
  let folder: string;
  let project: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    scene = await ReplayScene.open(await newStores(folder));
    project = randomProjectId();
    await scene.database.query(
      `insert into projects (id, name, timezone, session_secret, created_at_ms) values ($1, 'x', 'UTC', $2, 0)`,
      [project, new Uint8Array(32)],
    );
    scene.startReaders();
  });
  afterEach(async () => {
    await scene.close();
    await rm(folder, { recursive: true, force: true });
  });

  const parts = () => ({ log: scene.log, codec, database: scene.database, analytics: scene.analytics });
  const verified = async () => verify(await storesToVerify(parts()), {}, { deep: true, repeatWindowMs: 2 ** 40 });
  const bothRead = () => Promise.all([scene.hasRead('profiles', 1), scene.hasRead('analytics', 1)]);
  const usersOf = async (kind: GenerationKind): Promise<readonly string[]> => {
    const names = ['good', ...both(REPLAYED, DROPPED, EDITED, WAITING, 'corrected')].toSorted();
    if (kind === 'analytics') {
      const sql = 'SELECT DISTINCT toString(user) AS user FROM identifies WHERE project_id = {p:String}';
      const rows = await ask<{ user: string }>(scene.analytics, sql, { p: project });
      const users = new Set(rows.map((row) => row.user));
      return names.filter((name) => users.has(userNumber(userKeyOf(project, name))));
    }
    const found = await Promise.all(
      names.map((userId) => scene.live.profiles.find(project, userKeyOf(project, userId))),
    );
    return names.filter((_, index) => found[index] !== undefined);
  };

  const CONSTRAINTS = {
    profiles: {
      add: () => scene.database.script(`alter table users add constraint only_good check (user_id not like 'bad-%')`),
      remove: () => scene.database.script('alter table users drop constraint only_good'),
    },
    analytics: {
      add: () =>
        (scene.analytics as ClickHouseStore).define(
          `ALTER TABLE identify_rows ADD CONSTRAINT only_good CHECK message_id NOT LIKE 'bad-%'`,
        ),
      remove: () => (scene.analytics as ClickHouseStore).define('ALTER TABLE identify_rows DROP CONSTRAINT only_good'),
    },
  } as const;

  /** Messages become dead letters, and are replayed, dropped and edited once nothing refuses them any more. */
  async function decide(kind: GenerationKind): Promise<void> {
    await scene.append([identify({ projectId: project, userId: 'good', traits: '{"a":1}' })]);
    await bothRead();
    await CONSTRAINTS[kind].add();
    await scene.append(
      both(REPLAYED, DROPPED, EDITED, WAITING).map((userId) => {
        const messageIdGiven = !userId.endsWith('unnamed');
        return identify({ projectId: project, userId, messageId: userId, messageIdGiven, traits: '{"a":1}' });
      }),
    );
    await scene.append([identify({ projectId: project, userId: 'good', traits: '{"b":2}' })]);
    await bothRead();
    await CONSTRAINTS[kind].remove();
    const { dead_letters: letters } = await listDeadLetters(parts(), {}, CALL);
    expect(letters.map(({ attempts }) => attempts.map(({ reader }) => reader))).toEqual(
      Array.from({ length: 8 }, () => [kind === 'profiles' ? 'projector' : 'sink']),
    );
    const idOf = (user: string): string => letters.find(({ message_id: id }) => id === user)!.id;
    await new Settler(parts()).replay({ ids: both(REPLAYED).map(idOf) }, CALL);
    await new Settler(parts()).drop({ ids: both(DROPPED).map(idOf) }, CALL);
    const corrected = both('corrected');
    for (const [index, user] of both(EDITED).entries()) {
      const record = JSON.stringify({ user_id: corrected[index] });
      await new Editor(parts()).edit({ id: idOf(user), record }, CALL);
    }
    await bothRead();
  }

  describe.each(['profiles', 'analytics'] as const)('of %s', (kind) => {
    test('a new generation has what was replayed and corrected, not what was dropped', SLOW, async () => {
      await decide(kind);
      expect(await usersOf(kind)).toEqual(AS_DECIDED);
      expect(await verified()).toMatchObject({ equal: true });
      const letters = (await scene.log.ends([DEAD_LETTER_TOPIC])).map(({ offset }) => offset);

      await scene.build(kind);
      await scene.swap(kind);

      await expect.poll(() => usersOf(kind), { timeout: 20_000 }).toEqual([...AS_DECIDED, ...both(WAITING)].toSorted());
      expect(await verified()).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
      expect((await scene.log.ends([DEAD_LETTER_TOPIC])).map(({ offset }) => offset)).toEqual(letters);
      await scene.run('rollback', { kind });
      expect(await verified()).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
    });

    test('a new generation of a single project has the same, and one after that', SLOW, async () => {
      await decide(kind);
      for (let n = 0; n < 2; n++) {
        const { number } = await scene.build(kind, project);
        await scene.swap(kind, project);
        await expect
          .poll(() => usersOf(kind), { timeout: 20_000 })
          .toEqual([...AS_DECIDED, ...both(WAITING)].toSorted());
        const report = await verify(
          await storesToVerify(parts(), project),
          { projectId: project },
          { deep: true, repeatWindowMs: 2 ** 40 },
        );
        expect(report).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
        expect(number).toBe(n + 2);
      }
    });
  });

  test('a reader that has lost its positions reads nothing again that was decided', SLOW, async () => {
    await decide('profiles');
    await scene.stopReaders();
    await scene.database.script(
      'delete from reader_positions; delete from users; delete from profiles; delete from applied_counts; delete from applied',
    );

    scene.startReaders();
    await bothRead();

    expect(await usersOf('profiles')).toEqual([...AS_DECIDED, ...both(WAITING)].toSorted());
    expect(await verified()).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
  });

  test(
    'a database that has lost its table of dead letters reads it from their topic before anything else',
    SLOW,
    async () => {
      await decide('profiles');
      await scene.stopReaders();
      await scene.database.script('delete from dead_letters');
      const letters = (await scene.log.ends([DEAD_LETTER_TOPIC])).map(({ offset }) => offset);

      scene.startReaders();
      await scene.build('profiles');
      await scene.swap('profiles');

      await expect
        .poll(() => usersOf('profiles'), { timeout: 20_000 })
        .toEqual([...AS_DECIDED, ...both(WAITING)].toSorted());
      expect(await verified()).toMatchObject({ equal: true, profiles: { different: { count: 0 } } });
      expect((await scene.log.ends([DEAD_LETTER_TOPIC])).map(({ offset }) => offset)).toEqual(letters);
    },
  );

  test('what only the other reader refused is in a new generation as it is in the live one', SLOW, async () => {
    await decide('profiles');
    const before = await usersOf('analytics');

    const { same } = await scene.build('analytics');

    expect(same).toBe(true);
    expect(before).toContain(DROPPED);
  });

  test('a message that only a new generation refuses becomes a dead letter', SLOW, async () => {
    await scene.append([identify({ projectId: project, userId: 'good', traits: '{"a":1}' })]);
    await scene.append([identify({ projectId: project, userId: DROPPED, traits: '{"a":1}' })]);
    await bothRead();
    await scene.stopReaders();
    await scene.makeGeneration('profiles');
    await scene.database.script(
      `alter table profiles_g2.users add constraint only_good check (user_id not like 'bad-%')`,
    );

    scene.startReaders();
    await scene.hasRead('profiles', 2);

    const { dead_letters: letters } = await listDeadLetters(parts(), {}, CALL);
    expect(letters.map(({ attempts }) => attempts.length)).toEqual([1]);
  });
});
