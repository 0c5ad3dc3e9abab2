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
  test('is nothing where they are not there', async () => {
    expect(await progressSoFar(answering(absent, [{ made: false }]), 'profiles', 2)).toEqual([]);
  });

  test('is theirs where they were made between the question and the look for them', async () => {
    const database = answering(absent, [{ made: true }], [POSITION]);

    expect(await progressSoFar(database, 'analytics', 2)).toEqual([POSITION]);
  });

  test('is an error where that had another cause', async () => {
    const away = new Error('57P01: terminating connection');

    await expect(progressSoFar(answering(away, [{ made: true }], away), 'profiles', 2)).rejects.toBe(away);
  });
});
