/** Since when and until when members are in an audience, on a real ClickHouse. */
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerMembers, type StreamParts } from '../../../services/api/audiences/streams.ts';
import type { Call } from '../../../services/http/call.ts';
import { formatMicros } from '../../../services/messages/timestamp.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';
import { anonymousKeyOf, userKeyOf } from '../../../services/messages/user-key.ts';
import type { Audience } from '../../../services/questions/definition/audience.ts';
import { explainMembership } from '../../../services/questions/explain/why.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { compileMembership } from '../../../services/questions/sql/compile-members.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { SqlProjectStore } from '../../../services/stores/projects/sql-project-store.ts';
import type { AnalyticsReader } from '../../../services/stores/analytics/analytics-store.ts';
import { insertAudience } from '../../support/http/inserted-rows.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { testedAnalytics, testedShards } from '../../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const DAY = 86_400_000_000n;
const BUYERS = {
  any: [
    { event: 'Bought', within: { last: '7d' } },
    { trait: 'plan', is: 'pro' },
  ],
};

interface MemberLine {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
  readonly since?: string | null;
  readonly changes_at?: string | null;
  /** Only the last line has it. */
  readonly next_cursor?: string | null;
}

describe.each([...(await testedAnalytics()), ...(await testedShards(0.1))])('members in $name', (tested) => {
  const analytics = sharedStore(tested);
  const database = sharedDatabase();
  const make = new MessageMaker();
  const project = { ...PROJECT, id: make.projectId };
  const bought = (userId: string, timestamp: bigint) =>
    make.track({ userId, userKey: userKeyOf(project.id, userId), messageId: userId, event: 'Bought', timestamp });
  let parts: StreamParts;
  let saved: SavedAudience;

  beforeAll(async () => {
    await insert(analytics(), [
      bought('ada', NOON - DAY),
      bought('bob', NOON - 3n * DAY),
      bought('eve', NOON - 9n * DAY),
      make.identify({ userId: 'kim', userKey: userKeyOf(project.id, 'kim'), traits: '{"plan":"pro"}' }),
      make.track({
        userId: null,
        userKey: anonymousKeyOf(project.id, 'cookie'),
        anonymousId: 'cookie',
        event: 'Bought',
        messageId: 'c',
        timestamp: NOON - 2n * DAY,
      }),
    ]);
    await new SqlProjectStore(database()).addLostProject(project);
    const audiences = new SqlAudienceStore(database(), 100);
    const nowMs = () => Number((NOON + 60_000_000n) / 1000n);
    const stores = { profiles: new SqlProfileStore(database()), analytics: analytics(), limitsOf: () => AMPLE };
    parts = { ...stores, saved: audiences, nowMs };
    const made = await audiences.create(project.id, {
      name: 'Buyers',
      definition: JSON.stringify(BUYERS),
      refreshMs: null,
    });
    saved = await evaluated(made, NOON);
    // After the evaluation.
    await insert(analytics(), [bought('new', NOON + 1n)]);
  });

  /** As an evaluation at this instant leaves it. */
  async function evaluated(made: SavedAudience, at: bigint): Promise<SavedAudience> {
    const evaluation = { projectId: project.id, audienceId: made.id, at, version: 1, cause: 'first' } as const;
    const members = compileMembership(buyers(), { projectId: project.id, now: at });
    const difference = await analytics().difference(evaluation, members, AMPLE);
    await analytics().finalize(evaluation);
    const audience = { ...made, evaluation: { ...difference, at, version: 1, cause: 'first' } as const };
    await insertAudience(database(), audience);
    return audience;
  }

  const callOf = (search: string): Call => {
    const query = new URLSearchParams(search);
    return { project, projectId: project.id, params: { id: saved.id }, query, text: '' } as unknown as Call;
  };

  async function members(search: string): Promise<readonly MemberLine[]> {
    const answer = await answerMembers(parts, callOf(search));
    if (!('body' in answer) || !(answer.body instanceof Readable)) throw new Error('refused');
    const lines = (await text(answer.body)).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as MemberLine);
  }

  test('members say since when they are in an audience and when they leave, as `why` says of each, page by page', async () => {
    const first = await members('times=true&limit=2');
    const second = await members(`times=true&limit=10&cursor=${first.at(-1)?.next_cursor}`);

    const all = [...first.slice(0, -1), ...second.slice(0, -1)];
    const times = all.map((one) => [one.user_id ?? one.anonymous_id, one.since, one.changes_at]);
    const noon = '2026-11-20T12:00:00.000000Z';
    expect(new Set(times)).toEqual(
      new Set([
        ['ada', noon, '2026-11-26T12:00:00.000001Z'],
        ['bob', noon, '2026-11-24T12:00:00.000001Z'],
        ['cookie', noon, '2026-11-25T12:00:00.000001Z'],
        ['kim', noon, null],
        ['new', null, '2026-11-27T12:00:00.000002Z'],
      ]),
    );
    const options = { projectId: project.id, now: NOON + 60_000_000n, eventsShown: 0 };
    for (const { internal_id: userKey, changes_at: at } of all) {
      const why = await explainMembership(analytics(), AMPLE, buyers(), '', { ...options, userKey });
      const changesAt = why?.evaluation.changesAt;
      expect([why?.evaluation.isMet, changesAt && formatMicros(changesAt)]).toEqual([true, at]);
    }
  });

  test('members have no times where none are asked for, and CSV has them as columns', async () => {
    expect((await members('limit=1'))[0]).not.toHaveProperty('since');
    const answer = await answerMembers(parts, callOf('times=true&limit=10&format=csv'));

    const csv = 'body' in answer && answer.body instanceof Readable ? await text(answer.body) : '';

    expect(csv).toMatch(/^user_id,anonymous_id,internal_id,since,changes_at\n/);
    expect(csv).toMatch(/\nkim,,[0-9a-f]{64},2026-11-20T12:00:00.000000Z,\n/);
  });

  test('times of more than a page of members are refused', async () => {
    for (const search of ['times=true', 'times=true&limit=101'])
      expect(await answerMembers(parts, callOf(search))).toMatchObject({ refused: 'invalid-parameter' });
  });

  test('members of another definition than the evaluated one have no time since when', async () => {
    await insertAudience(database(), { ...saved, version: 2 });

    const lines = await members('times=true&limit=10');

    expect(lines.slice(0, -1).map(({ since }) => since)).toEqual([null, null, null, null, null]);
    await insertAudience(database(), saved);
  });

  test('members of whom too much would have to be read are there, without the time when they leave', async () => {
    const whole = parts;
    const ask = (): never => {
      throw new TidemarkError('QUERY_LIMIT', 'too many rows');
    };
    const get = (of: object, name: string): unknown => (name === 'ask' ? ask : boundIn(of, name));
    parts = {
      ...whole,
      analytics: new Proxy<AnalyticsReader>(whole.analytics, { get }),
    };

    const lines = await members('times=true&limit=10').finally(() => (parts = whole));

    expect(lines).toHaveLength(6);
    for (const line of lines.slice(0, -1)) expect(line).not.toHaveProperty('changes_at');
    expect(new Set(lines.map(({ since }) => since))).toContain('2026-11-20T12:00:00.000000Z');
  });
});

function boundIn(of: object, name: string): unknown {
  const member = (of as Readonly<Record<string, unknown>>)[name];
  return typeof member === 'function' ? (member.bind(of) as unknown) : member;
}

function buyers(): Audience {
  const read = readDefinition(BUYERS, { timezone: 'UTC' });
  if (!read.ok) throw new Error('not a definition');
  return read.definition;
}
