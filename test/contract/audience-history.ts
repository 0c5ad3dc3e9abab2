import { describe, expect, test } from 'vitest';
import type { AnalyticsStore } from '../../services/stores/analytics/analytics-store.ts';
import { AMPLE } from '../support/stores/analytics.ts';
import { AT, audienceHistoryScene, keyOf, LAST_USER, membersAre, NEVER } from './audience-history-scene.ts';

const PATIENTLY = { timeout: 20_000 };

/** What any AudienceHistory keeps of audiences. */
export function testAudienceHistory(store: () => AnalyticsStore): void {
  const scene = audienceHistoryScene(store);
  const { names, evaluation, evaluated, changes, membersLeft, live, epochs, membersNow, membersByUser } = scene;

  describe('the history of audiences', () => {
    test('the history says who entered and who left since the evaluation before', async () => {
      expect(await evaluated(1, 1, 2, 3)).toEqual({ entered: 3, left: 0, members: 3 });
      expect(await evaluated(2, 2, 3, 4)).toEqual({ entered: 1, left: 1, members: 3 });
      expect(await evaluated(3, 2, 3, 4)).toEqual({ entered: 0, left: 0, members: 3 });
      expect(await evaluated(4, 1)).toEqual({ entered: 1, left: 3, members: 1 });

      expect(await changes()).toEqual([
        '1 user-1 entered',
        '1 user-2 entered',
        '1 user-3 entered',
        '2 user-1 left',
        '2 user-4 entered',
        '4 user-1 entered',
        '4 user-2 left',
        '4 user-3 left',
        '4 user-4 left',
      ]);
    });

    test('the history is read from any evaluation or user on, up to any evaluation, and up to a limit', async () => {
      await evaluated(1, 1, 2, 3);
      await evaluated(2, 4);

      expect(await changes({ after: { at: AT + 1n, user: LAST_USER } })).toHaveLength(4);
      expect(await changes({ after: { at: AT + 1n, user: 2n } })).toHaveLength(5);
      expect(await changes({ until: AT + 1n })).toHaveLength(3);
      expect(await changes({ limit: 2 })).toEqual(['1 user-1 entered', '1 user-2 entered']);
    });

    test('the history tells of each line whose definition it was, and why it was evaluated', async () => {
      const changed = evaluation(1, { version: 7, cause: 'definition' });
      await store().difference(changed, membersAre(1), AMPLE);
      await store().finalize(changed);

      const query = { ...names, epochs: [], after: { at: NEVER, user: LAST_USER }, until: AT + 9n, limit: null };
      const [chunk] = await Array.fromAsync(await store().audienceChanges(query, AMPLE));

      expect(JSON.parse(Buffer.from(chunk ?? []).toString())).toEqual({
        user_id: 'user-1',
        anonymous_id: null,
        internal_id: '01',
        change: 'entered',
        at: '2026-11-20T00:00:00.000001Z',
        version: 7,
        cause: 'definition',
        person: null,
      });
    });

    test('a live change counts up to where its epoch does, and is one of no evaluation', async () => {
      await evaluated(1, 1, 2);
      await store().liveHistory.writeChanges([
        live(3, 5n, 4, 'entered'),
        live(4, 5n, 1, 'left'),
        live(6, 6n, 5, 'entered'),
      ]);

      const first = ['1 user-1 entered', '1 user-2 entered'];
      expect(await changes()).toEqual(first);
      expect(await changes({ epochs: epochs([5n, 2]) })).toEqual(first);
      expect(await changes({ epochs: epochs([5n, 3]) })).toEqual([...first, '3 user-4 entered']);
      expect(await changes({ epochs: epochs([5n, 4]) })).toEqual([...first, '3 user-4 entered', '4 user-1 left']);
      expect(await changes({ epochs: epochs([5n, 3], [6n, 6]) })).toEqual([
        ...first,
        '3 user-4 entered',
        '6 user-5 entered',
      ]);
      expect(await changes({ epochs: epochs([5n, 9]), limit: 1, after: { at: AT + 2n, user: LAST_USER } })).toEqual([
        '3 user-4 entered',
      ]);
    });

    test('audience_members_now has the members of the last evaluation and of what counted since, and nobody else', async () => {
      await evaluated(1, 1, 2, 9);
      await evaluated(2, 2, 3, 9);
      await store().difference(evaluation(3), membersAre(4), AMPLE);
      const changed = [live(4, 5n, 3, 'left'), live(4, 5n, 5, 'entered')];
      await store().liveHistory.writeChanges([...changed, live(6, 5n, 6, 'entered')]);
      await store().liveHistory.writeMembers(changed);

      expect(await membersNow()).toEqual(['cookie 1', 'user-2 1', 'user-5 4']);
    });

    test('once the changes that never count are removed, those of epochs that are over count by the last of these', async () => {
      await evaluated(1, 1);
      await store().liveHistory.writeChanges([
        live(3, 5n, 4, 'entered'),
        live(4, 5n, 1, 'left'),
        live(4, 6n, 5, 'entered'),
        live(6, 6n, 6, 'entered'),
        live(7, 7n, 7, 'entered'),
        live(9, 8n, 8, 'entered'),
      ]);
      const closed = epochs([5n, 3], [6n, 5], [7n, 7]);
      const expected = await changes({ epochs: epochs([5n, 3], [6n, 5], [7n, 7], [8n, 8]) });

      await store().liveHistory.dropUncounted(closed);

      expect(expected).toEqual(['1 user-1 entered', '3 user-4 entered', '4 user-5 entered', '7 user-7 entered']);
      expect(await changes({ epochs: epochs([8n, 8], [7n, 7]) })).toEqual(expected);
      expect(await changes({ epochs: epochs([7n, 7], [8n, 9]) })).toEqual([...expected, '9 user-8 entered']);
      await store().liveHistory.dropUncounted(closed);
    });

    test('a live change says its cause, and the user as they were known, until the person named by it is forgotten', async () => {
      const known = { userId: null, anonymousId: 'cookie', version: 7 };
      const joined = { cause: 'joined', person: keyOf(99) } as const;
      await store().liveHistory.writeChanges([{ ...live(3, 1n, 4, 'left'), ...known, ...joined }]);

      const query = { ...names, after: { at: NEVER, user: LAST_USER }, until: AT + 9n, limit: null };
      const found = async (): Promise<unknown> => {
        const [chunk] = await Array.fromAsync(
          await store().audienceChanges({ ...query, epochs: epochs([1n, 9]) }, AMPLE),
        );
        return JSON.parse(Buffer.from(chunk ?? []).toString());
      };

      const change = {
        user_id: null,
        anonymous_id: 'cookie',
        internal_id: keyOf(4),
        change: 'left',
        at: '2026-11-20T00:00:00.000003Z',
        version: 7,
        cause: 'joined',
      };
      expect(await found()).toEqual({ ...change, person: keyOf(99) });
      const { signal } = new AbortController();
      const forgotten = { projectId: names.projectId, users: [keyOf(99)] };
      expect(await store().forget(forgotten, { signal })).toMatchObject([{ table: 'audience_changes', rows: 1 }]);
      expect(await found()).toEqual({ ...change, person: null });
      expect(await store().countOf(forgotten)).toEqual([]);
    });

    test('an evaluation leaves the live changes before it, and goes by their members', async () => {
      await evaluated(1, 1, 2);
      const changed = [live(3, 5n, 4, 'entered'), live(3, 5n, 1, 'left')];
      await store().liveHistory.writeChanges(changed);
      await store().liveHistory.writeMembers(changed);
      await store().liveHistory.writeMembers(changed);

      expect(await evaluated(5, 2, 4, 6)).toEqual({ entered: 1, left: 0, members: 3 });
      expect(await changes({ epochs: epochs([5n, 3]) })).toEqual([
        '1 user-1 entered',
        '1 user-2 entered',
        '3 user-1 left',
        '3 user-4 entered',
        '5 user-6 entered',
      ]);
      expect(await membersByUser()).toEqual(await membersLeft());
    });

    test('members of a tick that a crash kept from being written are written by finalizing it', async () => {
      await evaluated(1, 1);
      await store().liveHistory.writeChanges([live(3, 5n, 4, 'entered'), live(4, 6n, 5, 'entered')]);

      await store().finalize(evaluation(3, { cause: 'live' }));

      expect(await membersLeft()).toBe(2);
      expect(await membersByUser()).toBe(2);
      expect(await changes({ epochs: epochs([5n, 3]) })).toEqual(['1 user-1 entered', '3 user-4 entered']);
      expect(await evaluated(6, 1, 4)).toEqual({ entered: 0, left: 0, members: 2 });
    });

    test('a user known by an anonymous id alone is told by it', async () => {
      const entered = evaluation(1);
      await store().difference(entered, membersAre(9), AMPLE);
      await store().finalize(entered);

      const query = { ...names, epochs: [], after: { at: NEVER, user: LAST_USER }, until: AT + 9n, limit: null };
      const [chunk] = await Array.fromAsync(await store().audienceChanges(query, AMPLE));

      expect(JSON.parse(Buffer.from(chunk ?? []).toString())).toMatchObject({ user_id: null, anonymous_id: 'cookie' });
    });

    test('an evaluation that was not finalized does not count, and leaves nothing behind', async () => {
      await evaluated(1, 1, 2);
      await store().difference(evaluation(2), membersAre(5, 6, 7), AMPLE);

      expect(await changes()).toHaveLength(2);
      expect(await store().finalizedAt(names.projectId, names.audienceId)).toBe(AT + 1n);
      expect(await evaluated(3, 2, 3)).toEqual({ entered: 1, left: 1, members: 2 });
      expect(await changes()).toEqual(['1 user-1 entered', '1 user-2 entered', '3 user-1 left', '3 user-3 entered']);
    });

    test('finalizing again changes nothing', async () => {
      await evaluated(1, 1, 2);
      await evaluated(2, 2, 3);

      await store().finalize(evaluation(2));
      await store().finalize(evaluation(2));

      expect(await changes()).toHaveLength(4);
      expect(await evaluated(3, 2, 3)).toEqual({ entered: 0, left: 0, members: 2 });
    });

    test('an audience that was never evaluated has no history', async () => {
      expect(await store().finalizedAt(names.projectId, names.audienceId)).toBeNull();
      expect(await changes()).toEqual([]);
    });

    test('the history deletes what it has of one audience, and of no other', async () => {
      await evaluated(1, 1, 2);
      const first = names.audienceId;
      const other = `${first}-other`;
      names.audienceId = other;
      await evaluated(1, 3);

      await store().forgetAudience(names.projectId, first);
      await store().forgetAudience(names.projectId, first);

      names.audienceId = first;
      await expect.poll(() => changes(), PATIENTLY).toEqual([]);
      await expect.poll(membersLeft, PATIENTLY).toBe(0);
      expect(await evaluated(2, 9)).toEqual({ entered: 1, left: 0, members: 1 });
      names.audienceId = other;
      expect(await changes()).toEqual(['1 user-3 entered']);
      await store().forgetAudience(names.projectId, names.audienceId);
    });

    test('the history stays where the first generation, in whose database it lies, is dropped', async () => {
      await evaluated(1, 1, 2);

      await store().dropGeneration(1);

      expect(await changes()).toHaveLength(2);
      expect(await evaluated(2, 2)).toEqual({ entered: 0, left: 1, members: 1 });
    });

    test('the history is one of all generations, whichever is asked for the members', async () => {
      await evaluated(1, 1, 2);
      await store().makeGeneration(2);
      const second = await store().ofGeneration(2);

      expect(await second.difference(evaluation(2), membersAre(2, 3), AMPLE)).toMatchObject({ entered: 1, left: 1 });
      await store().finalize(evaluation(2));
      await store().dropGeneration(2);

      expect(await changes()).toHaveLength(4);
    });

    test('an evaluation past its limits is QUERY_LIMIT, and the next is whole', async () => {
      await evaluated(1, 1);
      const asked = store().difference(evaluation(2), membersAre(2), { ...AMPLE, maxRowsRead: 1 });

      await expect(asked).rejects.toMatchObject({ code: 'QUERY_LIMIT' });
      expect(await evaluated(3, 2)).toEqual({ entered: 1, left: 1, members: 1 });
    });
  });
}
