/** `GET /v1/users/:user_id/activity`: how much a user did. */
import { budgetOf } from '../../questions/query-budget.ts';
import { findActivity } from '../../questions/users/user-activity.ts';
import type { Answer as Documented } from '../../../schemas/operations.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Input } from '../input.ts';
import { contextOf } from '../query.ts';
import { personNamed, userKeyOfPath } from './named-user.ts';
import { answerOf, namingParts, type UserStores } from './store-parts.ts';
import { NOBODY } from './users.ts';

export function answerActivity(
  parts: UserStores,
  { project }: Call,
  input: Input<'GET /v1/users/{user_id}/activity'>,
): Promise<Answer | Refusal> {
  return namingParts(async () => {
    const user = userKeyOfPath(project, input);
    if (!user.ok) return user.refusal;
    const { days } = input.query;
    const person = await personNamed(parts, project, user.value);
    const question = { ...contextOf(project), ...person, days, timezone: project.timezone };
    const activity = await answerOf('analytics', findActivity(budgetOf(parts, project), question));
    const isKnown = activity.events > 0;
    if (!isKnown && (await answerOf('profiles', parts.profiles.find(project.id, person.userKey))) === undefined)
      return NOBODY;
    const body: Documented<'GET /v1/users/{user_id}/activity'> = {
      events: activity.events,
      first_event: activity.first === null ? null : formatMicros(activity.first),
      last_event: activity.last === null ? null : formatMicros(activity.last),
      top_events: activity.topEvents,
      timezone: project.timezone,
      days: activity.days,
    };
    return { status: 200, body: JSON.stringify(body) };
  });
}
