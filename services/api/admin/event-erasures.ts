/** Events that are to be erased by a condition: looked at first, and erased once their number is given back. */
import { createHash } from 'node:crypto';
import type { Refusal } from '../../http/problems.ts';
import type { Route } from '../../http/route.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { listEvents } from '../../questions/events/event-list.ts';
import { eventsToErase, MOST_ERASED_EVENTS, readErasureQuestion } from '../../questions/events/events-to-erase.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { expectProject } from '../../stores/projects/project-commands.ts';
import { eventJson } from '../events/answer-questions.ts';
import { contextOf, refuseBody } from '../query.ts';
import { ADMIN_BODY, principalOf, routeWithBody } from './answers.ts';
import { erasureJson } from './erasures.ts';

export type EventErasureParts = QuestionParts & Pick<AdminPorts, 'erasures' | 'projects'>;

const EXAMPLES = 10;

export function eventErasureRoute(parts: EventErasureParts): Route {
  return routeWithBody('POST /v1/admin/event-erasures', ADMIN_BODY, async (call, wanted) => {
    const { project: projectId, count, ...condition } = wanted;
    const project = await expectProject(parts.projects, projectId);
    const read = readErasureQuestion({ project, text: call.text, ...(await consult(parts, project, call.text)) });
    if (!read.ok) return refuseBody(read.problems).refusal;
    // The users are those whom the messages named, not persons.
    const [filter, context] = [read.value, { ...contextOf(project), joins: false }];
    const events = await eventsToErase(budgetOf(parts, project), context, filter);
    const found = events.values().reduce((sum, keys) => sum + keys.length, 0);
    if (found > MOST_ERASED_EVENTS) return conflict('EVENTS_LIMIT', TOO_MANY);
    if (count === undefined) {
      const page = { ...filter, limit: EXAMPLES, after: null, traits: null };
      const { events: some } = await listEvents(budgetOf(parts, project), context, page);
      const examples = some.map((event) => eventJson(event, ''));
      // Kept with an Idempotency-Key, the examples would outlive their events.
      return { status: 200, body: `{"count":${found},"examples":[${examples.join(',')}]}`, isSecret: true };
    }
    if (count !== found)
      return conflict('EVENTS_DIFFER', `Their number is ${found} now, not ${count}. ${NOTHING_DONE}`);
    const described = JSON.stringify({
      name: filter.events,
      between: condition.between ?? null,
      of_user: condition.user_id !== undefined,
      properties: [...new Set(filter.where.map(({ path }) => path.join('.')))],
      count,
      condition_sha256: createHash('sha256').update(JSON.stringify(condition)).digest('hex'),
    });
    const erasure = await parts.erasures.requestEvents({ projectId, actor: principalOf(call), described, events });
    const change = { action: 'events.erase', object: erasure.id, project: projectId, after: described };
    return { status: 202, body: JSON.stringify(erasureJson(erasure)), audit: change };
  });
}

const TOO_MANY = `These are more than ${MOST_ERASED_EVENTS} events, which one request takes. Ask for less, as by between.`;
const NOTHING_DONE = 'Nothing was erased: look at them again, without count.';

function conflict(errorCode: 'EVENTS_DIFFER' | 'EVENTS_LIMIT', detail: string): Refusal {
  return { refused: 'conflict', detail, errorCode };
}
