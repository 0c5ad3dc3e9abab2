/** A log with everything that one can hold, read anew by both readers: against the live generations and the model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Readers } from '../../../services/app/readers/readers.ts';
import { listDeadLetters } from '../../../services/operations/dead-letters/dead-letter-commands.ts';
import { Editor } from '../../../services/operations/dead-letters/editor.ts';
import { Settler } from '../../../services/operations/dead-letters/settle.ts';
import { eraseProject } from '../../../services/operations/erasure/forget-users.ts';
import { compareAnalytics } from '../../../services/operations/replay/compare-analytics.ts';
import { ReplayCommands } from '../../../services/operations/replay/replay-commands.ts';
import { importTopicOf, MESSAGE_TOPICS, type Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { createLogger } from '../../../services/runtime/logger.ts';
import { userNumber } from '../../../services/stores/analytics/columns.ts';
import type { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { deleteProject } from '../../../services/stores/projects/delete-project.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import { identify, session, track } from '../../support/messages/messages.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { decodeLogged } from '../../torture/check/decode-logged.ts';
import { Findings } from '../../torture/check/findings.ts';
import { Ledger } from '../../torture/check/ledger.ts';
import { Model } from '../../torture/check/model.ts';
import { checkGenerations } from '../../torture/check/compare-stores.ts';

const CALL = { report: () => undefined, signal: new AbortController().signal };
const READ = { timeout: 120_000 };
const MESSAGES = 3_000;
const USERS = 90;
// A poll of this number is full: the projector begins to write large batches.
const RATE = 600;

describe.each(await testedForms())('a whole history read anew, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  let readers: Readers;
  beforeAll(() => {
    const { analytics, ...parts } = opened();
    const logger = createLogger('silent', process.stderr);
    readers = new Readers({ ...parts, config: readConfig({}), logger, analytics }, ['projector', 'sink']);
    readers.start();
  });
  afterAll(() => readers?.stop());

  test(
    'repeats, deletions, dead letters, imports and wide profiles are as in the live generations and the model',
    { timeout: 400_000 },
    async () => {
      const { database } = installation();
      const projects = new SqlProjectStore(database);
      const [shop, gone] = [
        await projects.createProject({ name: `Shop ${form}`, timezone: 'UTC', rateLimit: null }),
        await projects.createProject({ name: `Gone ${form}`, timezone: 'UTC', rateLimit: null }),
      ];
      await database.script(`alter table users add constraint refusing check (user_id <> 'refused')`);
      await appendHistory(shop.id);
      await installation().append([track({ projectId: gone.id, userId: 'ada' })]);
      await hasRead();
      await database.script('alter table users drop constraint refusing');
      expect(await settleDeadLetters()).toEqual(['dropped', 'dropped', 'edited', 'replayed']);
      await deleteProject(database, gone.id, `Gone ${form}`);
      await eraseProject({ ...opened(), pauseMs: 1 }, { project: gone.id }, CALL);
      await hasRead();
      const letters = (await allLetters()).length;

      for (const args of [{ kind: 'profiles', rate: RATE }, { kind: 'analytics' }] as const) {
        const built = await replays().build(args, CALL);
        expect(built.comparison.filter(differs)).toEqual([]);
        await replays().swap({ ...built }, CALL);
      }
      await hasRead();

      expect(await differences(gone.id)).toEqual({
        generations: ['analytics 1', 'analytics 2', 'profiles 1', 'profiles 2'],
        found: {},
      });
      expect((await allLetters()).length).toBe(letters);
    },
  );

  test('analytics compared some users at a time are found as different as all at once', async () => {
    const [row] = await installation().database.query<{ project_id: string }>('select project_id from users limit 1');
    const user = userNumber(userKeyOf(row!.project_id, 'u7'));
    const where = `user = toUInt128('${user}')`;
    const live = (await installation().analytics.ofGeneration(1)) as ClickHouseStore;
    await live.define(`ALTER TABLE user_rows DELETE WHERE ${where}`, { mutations_sync: '2' });
    const parts = { ...opened(), signal: CALL.signal, onStep: () => undefined };
    const pair = { live: 1, fresh: 2, projectId: null, except: [] };

    const some = await compareAnalytics(parts, pair, 7);

    expect(some).toEqual(await compareAnalytics(parts, pair));
    const users = some.find(({ what }) => what === 'users');
    expect(users).toMatchObject({ extra: 1, different: 0, missing: 0, undecided: 0 });
    expect(users?.equal).toBeGreaterThan(USERS);
  });

  function opened() {
    const { log, codec, database, analytics } = installation();
    return { log, codec, database, analytics };
  }

  function replays() {
    return new ReplayCommands({ ...opened(), whileFed: (run) => run() });
  }

  function hasRead(): Promise<void> {
    const behind = async (): Promise<number> => {
      const fed = await replays().list();
      return fed.reduce((sum, one) => sum + one.behind, 0);
    };
    return expect.poll(behind, READ).toBe(0);
  }

  async function appendHistory(projectId: string): Promise<void> {
    await installation().append(history(projectId));
    await installation().append(imported(projectId), (message) =>
      importTopicOf(message as Exclude<Message, { type: 'session' }>),
    );
    await installation().log.append([
      { topic: 'tidemark.track', key: Buffer.from('k'), value: Buffer.from('no message') },
    ]);
    const said = { projectId, messageIdGiven: true };
    await installation().append([
      identify({ ...said, userId: 'refused', messageId: 'r', traits: '{"plan":"pro"}' }),
      // Postgres has no such character.
      identify({ ...said, userId: 'edited', messageId: 'e', anonymousId: 'a\0b', traits: '{"plan":"free"}' }),
      track({ ...said, userId: 'dropped', messageId: 'd', anonymousId: 'a\0b' }),
    ]);
  }

  async function allLetters() {
    const listed = await listDeadLetters(installation(), { state: 'any', limit: 100 }, CALL);
    return listed.dead_letters;
  }

  /** What became of each. */
  async function settleDeadLetters(): Promise<readonly string[]> {
    const settler = new Settler(installation());
    await expect.poll(async () => (await allLetters()).length, READ).toBe(4);
    for (const { id, message_id: messageId } of await allLetters()) {
      if (messageId === 'r') await settler.replay({ ids: [id] }, CALL);
      else if (messageId === 'e') await new Editor(installation()).edit({ id, record: '{"anonymous_id":"a-b"}' }, CALL);
      else await settler.drop({ ids: [id] }, CALL);
    }
    return (await allLetters()).map(({ state }) => state).toSorted();
  }

  /** From the model, of every generation. */
  async function differences(goneId: string) {
    const { log, database, analytics } = installation();
    const models = { profiles: new Model(), analytics: new Model() };
    const ends = new Map<string, bigint>();
    const ranges = (await log.ends(MESSAGE_TOPICS)).map(({ offset, ...at }) => ({ ...at, from: 0n, to: offset }));
    for await (const { topic, partition, records } of log.scan(ranges)) {
      for (const { offset, value } of records) {
        ends.set(`${topic}/${partition}`, offset + 1n);
        const message = decodeLogged(topic, partition, offset, value);
        if (message === undefined || message.projectId === goneId) continue;
        models.analytics.add(message);
        if (message.anonymousId?.includes('\0') !== true) models.profiles.add(message);
      }
    }
    const findings = new Findings();
    const generations = await checkGenerations(
      { ledger: new Ledger(), models, ends },
      { database, analytics },
      findings,
    );
    return { generations, found: findings.toJSON() };
  }
});

function differs({
  different,
  missing,
  extra,
  undecided,
}: Record<'different' | 'missing' | 'extra' | 'undecided', number>) {
  return different + missing + extra + undecided > 0;
}

function history(projectId: string): readonly Message[] {
  return Array.from({ length: MESSAGES }, (_, index) => {
    const said = {
      projectId,
      userId: `u${(index * 7) % USERS}`,
      anonymousId: index % 4 === 0 ? `a${index % 9}` : null,
    };
    // Every fifth comes again, later or earlier in its user's time, and says something else.
    const given = { messageId: `given ${said.userId} ${index % 5 === 0 ? 0 : index}`, messageIdGiven: true };
    if (index % 4 === 0) return session({ ...said, ...given, sessionId: `s${index}`, anonymous: index % 8 === 0 });
    if (index % 4 === 1)
      return track({ ...said, ...given, properties: `{"at":${index},"note":"${'x'.repeat(index)}"}` });
    return identify({ ...said, ...given, traits: index % 3 === 0 ? wide(index) : narrow(index) });
  });
}

function narrow(index: number): string {
  return JSON.stringify({
    plan: index % 7 === 0 ? null : `p${index % 3}`,
    at: index,
    gone: index % 2 === 0 ? 1 : null,
  });
}

/** Hundreds of traits, some of them large, some deleted. */
function wide(index: number): string {
  const traits = Array.from({ length: 150 }, (_, trait): [string, unknown] => {
    if (trait % 11 === index % 11) return [`t${(index + trait) % 400}`, null];
    return [`t${(index + trait) % 400}`, trait === 3 ? 'y'.repeat(20_000) : index + trait];
  });
  return JSON.stringify(Object.fromEntries(traits));
}

function imported(projectId: string): readonly Message[] {
  return Array.from({ length: 300 }, (_, index) => {
    const timestamp = 1_700_000_000_000_000n + BigInt(index) * 60_000_000n;
    const said = {
      projectId,
      userId: `u${index % (USERS + 10)}`,
      messageId: `old ${index % 280}`,
      messageIdGiven: true,
      timestamp,
    };
    return index % 3 === 0 ? identify({ ...said, traits: narrow(index) }) : track({ ...said, event: 'Imported' });
  });
}
