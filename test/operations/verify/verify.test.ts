import { describe, expect, test } from 'vitest';
import { hourOf } from '../../../services/messages/day-and-hour.ts';
import { importTopicOf, type Message } from '../../../services/messages/message.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';
import { storesToVerify } from '../../../services/operations/verify/live-stores.ts';
import type { Period } from '../../../services/operations/verify/period.ts';
import { checkProfiles } from '../../../services/operations/verify/profile-check.ts';
import { verify } from '../../../services/operations/verify/verify.ts';
import { MessageMaker } from '../../support/stores/analytics.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';

const HOUR = 3_600_000_000n;
const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const OPTIONS = { repeatWindowMs: 30 * 86_400_000 };

describe.each(await testedForms())('verify, $form', ({ form }) => {
  const installation = sharedInstallation(form);
  const verified = async (period: Period, options: { deep?: boolean } = {}) =>
    verify(await storesToVerify(installation()), period, { ...OPTIONS, ...options });
  const reportOf = ({ projectId }: MessageMaker, options = {}) => verified({ projectId }, options);

  test('verify finds everything equal after repeats, late events, imports and unprocessable messages', async () => {
    const maker = new MessageMaker();
    const messages = traffic(maker);
    await installation().append(messages);
    await installation().append(messages.slice(0, 9));
    await installation().append([maker.identify({ traits: '[]' })]);
    await installation().log.append([
      { topic: 'tidemark.track', key: Buffer.from('k'), value: Buffer.from('no avro') },
    ]);
    const old = [maker.track({ messageId: 'old', timestamp: 5n }), maker.identify({ traits: '{"since":1999}' })];
    await installation().append(old, (message) => importTopicOf(message as Exclude<Message, { type: 'session' }>));
    await installation().readAll();

    const whole = await verified({}, { deep: true });
    const own = await reportOf(maker);

    expect(whole).toMatchObject({ equal: true, undecodable: 1, profiles: { undecided: 0, different: { count: 0 } } });
    expect(own).toMatchObject({
      equal: true,
      missing: { postgres: { count: 0, uncounted: 0 }, clickhouse: { count: 0 } },
    });
    expect(own.hours).toEqual([
      hour(maker, 0, { messages: 17, repeats: 5, postgres: 21, clickhouse: 16, deadLetters: 1 }),
      hour(maker, 2, { messages: 13, repeats: 4, postgres: 17, clickhouse: 13 }),
    ]);
  });

  test('a deleted row is named, and with it no other', async () => {
    const maker = new MessageMaker();
    const messages = traffic(maker);
    const places = await installation().append(messages);
    await installation().readAll();
    const lost = ['track', 'identify', 'session'].map((type) => messages.findIndex((one) => one.type === type));

    for (const table of ['track_rows', 'identify_rows', 'session_rows'] as const) {
      const ids = lost.map((index) => `'${messages[index]?.messageId}'`).join();
      await deleteRows(table, `project_id = '${maker.projectId}' AND message_id IN (${ids})`);
    }
    const report = await reportOf(maker);

    expect(report).toMatchObject({ equal: false, missing: { postgres: { count: 0, uncounted: 0 } } });
    expect(report.missing.clickhouse.count).toBe(3);
    for (const index of lost) {
      const { messageId, userKey } = messages[index]!;
      const { topic, partition, offset } = places[index]!;
      const named = { topic, partition, offset: String(offset), message_id: messageId, user: userKey };
      expect(report.missing.clickhouse.first).toContainEqual(expect.objectContaining(named));
    }
  });

  test('a deleted range is found, whole hours too, and repeats of what is gone are not missing besides', async () => {
    const maker = new MessageMaker();
    const messages = traffic(maker);
    await installation().append([...messages, ...messages.slice(0, 6)]);
    await installation().readAll();
    const late = messages.filter(({ type, receivedAt }) => type === 'track' && receivedAt >= NOON + HOUR);

    await deleteRows('track_rows', `project_id = '${maker.projectId}' AND received_at >= '2026-11-20 13:00:00'`);
    const report = await reportOf(maker);

    expect(report.missing.clickhouse.count).toBe(late.length);
    expect(report.hours.map(({ equal }) => equal)).toEqual([true, false]);
    expect(report.hours[1]?.clickhouse.expected).toBe(13);
  });

  test('a row that no message made is named', async () => {
    const maker = new MessageMaker();
    const messages = traffic(maker);
    const places = await installation().append(messages);
    await installation().readAll();

    await installation().alterAnalytics(
      `INSERT INTO track_rows (project_id, event, user, message_id, timestamp, received_at, log_partition, log_offset)
       SELECT project_id, event, user, 'made up', timestamp, received_at, log_partition, log_offset
       FROM track_rows WHERE project_id = '${maker.projectId}' AND message_id = '${messages[0]?.messageId}'`,
    );
    const report = await reportOf(maker);

    expect(report).toMatchObject({
      equal: false,
      missing: { clickhouse: { count: 0 } },
      surplus: { clickhouse: { count: 1 } },
    });
    const { topic, partition, offset } = places[0]!;
    expect(report.surplus.clickhouse.first).toMatchObject([
      { topic, partition, offset: String(offset), message_id: 'made up' },
    ]);
  });

  test('messages that the projector skipped are found, and named by what their profiles lack', async () => {
    const maker = new MessageMaker();
    await installation().append(traffic(maker));
    await installation().readAll();
    const skipped = [maker.identify({ userId: 'new', traits: '{"a":1}' }), maker.track({ userId: 'newer' })];
    await installation().append(skipped);
    await installation().readAll({ projector: false });
    await moveProjectorToEnd();

    const report = await reportOf(maker);

    expect(report).toMatchObject({
      equal: false,
      missing: { postgres: { count: 2, uncounted: 2 }, clickhouse: { count: 0 } },
    });
    const named = report.missing.postgres.first.map(({ message_id: id }) => id);
    expect(new Set(named)).toEqual(new Set(skipped.map(({ messageId }) => messageId)));
  });

  test('a position that was lost shows as messages counted twice', async () => {
    const maker = new MessageMaker();
    const messages = traffic(maker).map((message) => ({ ...message, messageIdGiven: false }));
    await installation().append(messages);
    await installation().readAll();
    const before = await reportOf(maker);

    await installation().database.query('delete from reader_positions');
    await installation().readAll();
    const report = await reportOf(maker, { deep: true });

    expect(before.equal).toBe(true);
    expect(report).toMatchObject({
      equal: false,
      missing: { postgres: { count: 0, uncounted: 0 } },
      surplus: { postgres: messages.length },
      profiles: { different: { count: 0 } },
    });
    await installation().database.query('update applied_counts set messages = messages / 2, repeats = repeats / 2');
  });

  test('a count that was lost or doubled is found, though every profile is whole', async () => {
    const maker = new MessageMaker();
    await installation().append(traffic(maker));
    await installation().readAll();
    const alter = (sql: string) =>
      installation().database.query(`${sql} where project_id = $1 and topic = 'tidemark.track'`, [maker.projectId]);

    await alter('update applied_counts set messages = messages * 2');
    const doubled = await reportOf(maker);
    await alter('delete from applied_counts');
    const lost = await reportOf(maker);

    expect(doubled).toMatchObject({ equal: false, missing: { postgres: { uncounted: 0 } }, surplus: { postgres: 20 } });
    expect(lost).toMatchObject({
      equal: false,
      missing: { postgres: { count: 0, uncounted: 20 } },
      surplus: { postgres: 0 },
    });
  });

  test('a profile that was changed by hand differs in depth alone', async () => {
    const maker = new MessageMaker();
    await installation().append(traffic(maker));
    await installation().readAll();
    await installation().database.query(
      `update profiles set traits = traits || '{"plan":"none"}' where project_id = $1 and user_key = $2`,
      [maker.projectId, userKeyOf(maker.projectId, 'ada')],
    );

    const stores = await storesToVerify(installation());
    const slices = await checkProfiles({
      ...stores,
      deadLettered: { has: () => false },
      repeatWindowMs: OPTIONS.repeatWindowMs,
      projectId: maker.projectId,
      usersAtOnce: 1,
    });

    expect(await reportOf(maker)).toMatchObject({ equal: true, profiles: null });
    expect(slices).toMatchObject({ users: 3, different: { count: 1 } });
    expect(await reportOf(maker, { deep: true })).toMatchObject({
      equal: false,
      profiles: { different: { count: 1, first: [{ user: userKeyOf(maker.projectId, 'ada') }] } },
    });
  });

  test('what the readers have not come to is not missing', async () => {
    const maker = new MessageMaker();
    await installation().append([maker.track(), maker.identify()]);

    const report = await reportOf(maker);

    expect(report).toMatchObject({ equal: true, hours: [{ messages: 2, not_yet: { postgres: 2, clickhouse: 2 } }] });
    await installation().readAll();
  });

  test('what was read before there were counts is said to be unknown, and is not missing', async () => {
    const maker = new MessageMaker();
    await installation().append(traffic(maker));
    await installation().readAll();
    const { database } = installation();
    await database.query('delete from applied_counts where project_id = $1', [maker.projectId]);
    await database.query('update reader_positions set counted_from = null');
    await database.query('update sink_plans set rows_from = null');
    await deleteRows('identify_rows', `project_id = '${maker.projectId}'`);

    const before = await reportOf(maker);
    await installation().append([maker.track(), maker.identify()]);
    await installation().readAll();
    const after = await reportOf(maker);

    expect(before).toMatchObject({ equal: true, missing: { postgres: { count: 0, uncounted: 0 } } });
    expect(before.unknown_before.map(({ store }) => store)).toEqual(expect.arrayContaining(['postgres', 'clickhouse']));
    expect(after).toMatchObject({ equal: true });
    expect(after.hours.map(({ postgres }) => postgres.found)).toEqual([2, 0]);
  });

  test('only the requested hours are verified', async () => {
    const maker = new MessageMaker();
    await installation().append(traffic(maker));
    await installation().readAll();
    const since = hourOf(NOON) + 2;

    const report = await verified({ since, until: since + 1, projectId: maker.projectId });

    expect(report).toMatchObject({ equal: true, since: '2026-11-20T14:00:00.000000Z', hours: [{ messages: 13 }] });
  });

  async function deleteRows(table: string, where: string): Promise<void> {
    await installation().alterAnalytics(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 2`);
  }

  async function moveProjectorToEnd(): Promise<void> {
    const sql = `update reader_positions as stands set next_offset = to_offset, identity = to_identity
                 from sink_plans as plan where (plan.topic, plan.partition) = (stands.topic, stands.partition)`;
    await installation().database.query(sql);
  }
});

/** Fourteen messages at noon and thirteen two hours later, of three users; tracks of long ago among them. */
function traffic(maker: MessageMaker): readonly Message[] {
  const people = ['ada', 'ben', 'cy'];
  const at = (hours: bigint, index: number) => ({
    userId: people[index % 3] ?? null,
    receivedAt: NOON + hours * HOUR + BigInt(index),
  });
  const tracks = Array.from({ length: 20 }, (_, index) =>
    maker.track({ ...at(index % 2 === 0 ? 0n : 2n, index), ...(index % 5 === 0 && { timestamp: BigInt(index) }) }),
  );
  const identifies = people.map((_, index) =>
    maker.identify({ ...at(0n, 30 + index), traits: `{"plan":"pro","n":${index}}` }),
  );
  const sessions = people.map((_, index) => maker.session({ ...at(2n, 40 + index), traits: '{"n":null}' }));
  return [
    ...tracks.slice(0, 4),
    ...identifies,
    ...sessions,
    maker.identify({ ...at(0n, 50), traits: '{}' }),
    ...tracks.slice(4),
  ];
}

interface Expected {
  readonly messages: number;
  readonly repeats: number;
  readonly postgres: number;
  readonly clickhouse: number;
  readonly deadLetters?: number;
}

function hour({ projectId }: MessageMaker, after: number, expected: Expected): object {
  const { messages, repeats, postgres, clickhouse, deadLetters = 0 } = expected;
  return expect.objectContaining({
    project: projectId,
    hour: `2026-11-20T${12 + after}:00:00.000000Z`,
    messages,
    repeats,
    postgres: { expected: postgres, found: postgres },
    clickhouse: { expected: clickhouse, found: clickhouse },
    dead_letters: { postgres: deadLetters, clickhouse: deadLetters },
    equal: true,
  }) as object;
}
