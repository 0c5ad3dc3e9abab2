import { randomUUID } from 'node:crypto';
import { beforeEach } from 'vitest';
import type {
  AnalyticsStore,
  ChangesQuery,
  Evaluation,
  Query,
} from '../../services/stores/analytics/analytics-store.ts';
import type { LiveChange, LiveEpoch } from '../../services/stores/analytics/live-history.ts';
import { AMPLE } from '../support/stores/analytics.ts';

export const NEVER = BigInt(Date.UTC(1900, 0)) * 1000n;
export const AT = BigInt(Date.UTC(2026, 10, 20)) * 1000n;
export const LAST_USER = 2n ** 128n - 1n;

/** Everybody of users 1 to 9, those named being in the audience. */
export function membersAre(...users: readonly number[]): Query {
  return {
    sql: `SELECT toUInt128(number) AS user, if(number = 9, '', concat('user-', toString(number))) AS user_id,
                 if(number = 9, 'cookie', '') AS anonymous_id, hex(number) AS internal_id,
                 number IN {users:Array(UInt64)} AS is_in FROM numbers(1, 9)`,
    params: { users },
  };
}

/** The internal id of which the number is the user's. */
export function keyOf(user: number): string {
  return user.toString(16).padStart(32, '0').padEnd(64, '0');
}

/** An audience for each test of a block, and what is done with its history. */
export function audienceHistoryScene(store: () => AnalyticsStore) {
  const names = { projectId: 'proj_history', audienceId: '' };
  beforeEach(() => {
    names.audienceId = `aud_${randomUUID()}`;
  });

  function evaluation(hour: number, changes: Partial<Evaluation> = {}): Evaluation {
    return { ...names, at: AT + BigInt(hour), version: 1, cause: 'refresh', ...changes };
  }

  async function evaluated(hour: number, ...users: readonly number[]) {
    const difference = await store().difference(evaluation(hour), membersAre(...users), AMPLE);
    await store().finalize(evaluation(hour));
    return difference;
  }

  async function changes(query: Partial<ChangesQuery> = {}): Promise<string[]> {
    const asked = {
      ...names,
      epochs: [],
      after: { at: NEVER, user: LAST_USER },
      until: AT + 1_000n,
      limit: null,
      ...query,
    };
    const chunks: Uint8Array[] = [];
    for await (const chunk of await store().audienceChanges(asked, AMPLE)) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    return lines.map((line) => {
      const { user_id, change, at } = JSON.parse(line) as Record<string, string>;
      return `${Number(at?.slice(-7, -1))} ${user_id} ${change}`;
    });
  }

  async function membersLeft(): Promise<number> {
    const sql = 'SELECT count() AS n FROM audience_members FINAL WHERE audience_id = {id:String}';
    const { rows } = await store().ask({ sql, params: { id: names.audienceId } }, AMPLE);
    return Number(rows[0]?.['n']);
  }

  function live(hour: number, epoch: bigint, user: number, change: LiveChange['change']): LiveChange {
    const known = { userKey: keyOf(user), userId: `user-${user}`, anonymousId: null };
    return { ...names, ...known, at: AT + BigInt(hour), epoch, version: 1, change, cause: 'live', person: null };
  }

  function epochs(...through: (readonly [epoch: bigint, hour: number])[]): [LiveEpoch, ...LiveEpoch[]] {
    return through.map(([epoch, hour]) => ({ epoch, through: AT + BigInt(hour) })) as [LiveEpoch, ...LiveEpoch[]];
  }

  /** As a query by hand has them. */
  async function membersNow(): Promise<string[]> {
    const sql = `SELECT concat(user_id, anonymous_id, ' ', toString(toUnixTimestamp64Micro(entered_at) - {at:Int64})) AS since
                 FROM audience_members_now(project = {project:String}, audience = {audience:String}) ORDER BY since`;
    const params = { at: AT, project: names.projectId, audience: names.audienceId };
    return (await store().ask({ sql, params }, AMPLE)).rows.map(({ since }) => since as string);
  }

  async function membersByUser(): Promise<number> {
    const sql = 'SELECT count() AS n FROM audience_members_by_user FINAL WHERE audience_id = {id:String}';
    const { rows } = await store().ask({ sql, params: { id: names.audienceId } }, AMPLE);
    return Number(rows[0]?.['n']);
  }

  return { names, evaluation, evaluated, changes, membersLeft, live, epochs, membersNow, membersByUser };
}
