import { expect, test } from 'vitest';
import {
  clearStatements,
  dropUncountedStatement,
  dropUnfinalizedStatement,
  forgetStatements,
} from '../../../services/stores/analytics/audience-history-sql.ts';

test('what deletes of the history of audiences can be applied by questions: it has no subquery and no lambda', () => {
  const evaluation = { projectId: 'p', audienceId: 'a', at: 5n, version: 1, cause: 'refresh' } as const;
  const closed = [3n, 1n, 2n].map((epoch) => ({ epoch, through: 10n * epoch }));
  const statements = [
    dropUnfinalizedStatement('db', evaluation, ['1', '2']),
    dropUncountedStatement('db', closed),
    ...forgetStatements('db', evaluation),
    ...clearStatements('db'),
  ];

  for (const { sql } of statements) expect(sql).toMatch(/^DELETE FROM (?!.*(?:SELECT|->))/s);
});
