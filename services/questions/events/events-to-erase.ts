/** Which events an erasure is of. No text of a caller becomes SQL. */
import { userKeyOf } from '../../messages/user-key.ts';
import { EVENT_KEY_SQL } from '../../stores/erasures/event-key.ts';
import { readEventNames } from '../definition/read-event.ts';
import { readPeriodBy } from '../definition/read-period.ts';
import { readMembers } from '../operators/operators.ts';
import type { QueryBudget } from '../query-budget.ts';
import { type CompileOptions, queryOf, scopeOf } from '../sql/compile.ts';
import { select } from '../sql/select.ts';
import { eventConditions } from '../sql/user-sets.ts';
import {
  type EventFilter,
  type QuestionOrProblems,
  type QuestionText,
  readIfPresent,
  readQuestion,
} from './read-question.ts';

/** A deletion from analytics names them. */
export const MOST_ERASED_EVENTS = 10_000;

const RESTRICTIONS = ['name', 'where', 'between', 'user_id'];

/** Reads the body of `POST /v1/admin/event-erasures`, of which the document has checked the rest. */
export function readErasureQuestion(call: QuestionText): QuestionOrProblems<EventFilter> {
  return readQuestion(call, call.project.timezone, (reading, body) => {
    if (!RESTRICTIONS.some((key) => Object.hasOwn(body, key)))
      return reading.refuse('', `needs one of ${RESTRICTIONS.join(', ')} at least`);
    const events = readIfPresent(body, 'name', null, (value) => readEventNames(reading, value, '/name'));
    const where = readIfPresent(body, 'where', [], (value) => readMembers(reading, value, '/where'));
    const within = readIfPresent(body, 'between', null, (value) =>
      readPeriodBy(reading, 'between', value, '/between', { mayBeAhead: false }),
    );
    const userId = readIfPresent(body, 'user_id', null, (value) => reading.text(value, '/user_id', 1));
    if (events === undefined || !where || within === undefined || userId === undefined) return undefined;
    return { events, where, within, users: userId === null ? null : { kind: 'users', ids: [userId] } };
  });
}

/**
 * Their keys, by the internal id of their user; of too many one more than there may be. Every copy is looked at: one that
 * does not count may have what is to be gone.
 */
export async function eventsToErase(budget: QueryBudget, context: CompileOptions, filter: EventFilter) {
  const scope = scopeOf(context);
  const { params, projectId } = scope;
  const ids = filter.users?.kind === 'users' ? filter.users.ids : [];
  const found = select(`SELECT DISTINCT user, ${EVENT_KEY_SQL} AS key FROM track_rows`, [
    ...eventConditions(scope, filter),
    ...ids.map((id) => `user = ${params.user(userKeyOf(projectId, id))}`),
  ]);
  const limited = `${found} ORDER BY user, key LIMIT ${params.count(MOST_ERASED_EVENTS + 1)}`;
  const ofProject = `project_id = ${params.string(projectId)}`;
  const known = `SELECT user, max(user_rows.internal_id) AS internal_id FROM user_rows WHERE ${ofProject} AND user IN (SELECT user FROM (${limited})) GROUP BY user`;
  const sql = `SELECT internal_id, groupArray(key) AS keys FROM (${limited}) AS found INNER JOIN (${known}) AS known ON known.user = found.user GROUP BY internal_id`;
  const rows = await budget.ask<{ readonly internal_id: string; readonly keys: readonly string[] }>(
    queryOf(scope, sql),
  );
  return new Map(rows.map((row) => [row.internal_id, row.keys]));
}
