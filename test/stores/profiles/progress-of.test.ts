import { describe, expect, test } from 'vitest';
import type { Queryable } from '../../../services/stores/database/database.ts';
import { progressSoFar } from '../../../services/stores/profiles/progress-of.ts';

const POSITION = { topic: 'track', partition: 0, offset: 7n, identity: null };
const absent = new Error('42P01: relation "…" does not exist');

/** Answers one query after the other. */
function answering(...answers: readonly (Error | readonly object[])[]): Queryable {
  const left = [...answers];
  return {
    query: <Row>(): Promise<readonly Row[]> => {
      const answer = left.shift();
      if (answer === undefined) throw new Error('a query too many');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as readonly Row[]);
    },
  };
}

describe('the progress of a generation whose tables come and go', () => {
  test('progress is empty where the tables of a generation do not exist', async () => {
    expect(await progressSoFar(answering(absent, [{ made: false }]), 'profiles', 2)).toEqual([]);
  });

  test('progress is read from tables that were created between the query and the check for them', async () => {
    const database = answering(absent, [{ made: true }], [POSITION]);

    expect(await progressSoFar(database, 'analytics', 2)).toEqual([POSITION]);
  });

  test('progress rejects where the query failed for another reason', async () => {
    const unreachable = new Error('57P01: terminating connection');

    await expect(progressSoFar(answering(unreachable, [{ made: true }], unreachable), 'profiles', 2)).rejects.toBe(
      unreachable,
    );
  });
});
