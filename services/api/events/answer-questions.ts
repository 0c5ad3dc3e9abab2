import { budgetOf } from '../../questions/query-budget.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Call } from '../../http/call.ts';
import type { Answer } from '../../http/route.ts';
import type { Answer as Documented } from '../../../schemas/operations.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { eventBody } from '../users/events.ts';
import { contextOf, type QueryRequest, refuseBody } from '../query.ts';
import type { OpenSpan } from '../../questions/events/count-sql.ts';
import type { Summaries } from '../../questions/events/summaries.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { readTraitChoice } from '../../stores/profiles/trait-choice.ts';
import type { TraitsParts } from '../audiences/user-lines.ts';
import { traitsOfUsers } from '../users/traits-of-users.ts';
import { type Counts, countEvents } from '../../questions/events/event-counts.ts';
import { countFunnel } from '../../questions/events/funnel.ts';
import { readFunnel } from '../../questions/events/read-funnel.ts';
import { listEvents, type UserEvent } from '../../questions/events/event-list.ts';
import {
  type CountsQuestion,
  type QuestionText,
  readCountsQuestion,
  readEventsQuestion,
} from '../../questions/events/read-question.ts';
import { type Bucket, MAX_BUCKETS, offsetAt } from '../../questions/events/time-buckets.ts';

async function questionText(parts: QuestionParts, { project, text }: QueryRequest): Promise<QuestionText> {
  return { project, text, ...(await consult(parts, project, text)) };
}

/** `POST /v1/events/query` */
export async function answerEventsQuery(
  parts: QuestionParts & TraitsParts,
  call: QueryRequest,
): Promise<Answer | Refusal> {
  const question = readEventsQuestion(await questionText(parts, call));
  if (!question.ok) return refuseBody(question.problems).refusal;
  const wanted = readTraitChoice(question.value.traits ?? undefined);
  if (!wanted.ok) return refuseBody([{ path: '/traits', message: wanted.message }]).refusal;
  const { project } = call;
  const { events, nextCursor } = await listEvents(budgetOf(parts, project), contextOf(project), question.value);
  const traits = await traitsOfUsers(parts, project.id, events, wanted.value);
  const bodies = events.map((event) => eventJson(event, traits(event)));
  return { status: 200, body: `{"events":[${bodies.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}` };
}

/** Properties and traits are JSON already and go in untouched, every digit kept. */
export function eventJson(event: UserEvent, traits: string): string {
  const user = JSON.stringify({ user_id: event.userId, internal_id: event.userKey });
  return `${user.slice(0, -1)}${traits},${eventBody(event).slice(1)}`;
}

/** `POST /v1/events/counts` */
export async function answerCounts(parts: QuestionParts, call: QueryRequest): Promise<Answer | Refusal> {
  const question = readCountsQuestion(await questionText(parts, call));
  if (!question.ok) return refuseBody(question.problems).refusal;
  const counts = await countEvents(budgetOf(parts, call.project), contextOf(call.project), question.value);
  if (counts === undefined)
    return refuseBody([{ path: '/interval', message: `makes more than ${MAX_BUCKETS} buckets of the period` }]).refusal;
  return { status: 200, body: countsBody(question.value, counts) };
}

/** Measures are JSON already and go in untouched, every digit kept. */
function countsBody({ timezone, interval, measure }: CountsQuestion, counts: Counts): string {
  const { current, previous, series, tookMs, rowsRead } = counts;
  const head = JSON.stringify({ measure: measure.kind, interval, timezone, ...spanJson(current, timezone) });
  const all = series.map(({ value, isOther, values, previous: before }) => {
    const compared = before === null ? '' : `,"previous":[${before.join(',')}]`;
    return `{"value":${value},"other":${isOther},"values":[${values.join(',')}]${compared}}`;
  });
  const before = previous === null ? 'null' : JSON.stringify(spanJson(previous, timezone));
  const cost = JSON.stringify({ took_ms: Math.round(tookMs), rows_read: rowsRead });
  return `${head.slice(0, -1)},"series":[${all.join(',')}],"previous":${before},${cost.slice(1)}`;
}

function spanJson({ span, buckets }: Counts['current'], timezone: string): object {
  const { from, to } = span;
  return {
    from: from === null ? null : formatMicros(from),
    to: formatMicros(to),
    buckets: buckets === null ? [wholeBucket(span, timezone)] : buckets.buckets.map(bucketJson),
  };
}

function wholeBucket({ from }: OpenSpan, timezone: string): object {
  return from === null
    ? { start: null, local: null }
    : bucketJson({ start: from, offsetMicros: offsetAt(from, timezone) });
}

function bucketJson({ start, offsetMicros: offset }: Bucket): object {
  return { start: formatMicros(start), local: `${formatMicros(start + offset).slice(0, 19)}${offsetText(offset)}` };
}

/** `+05:45`. An offset of the nineteenth century may have seconds, which RFC 3339 cannot say. */
function offsetText(offset: Micros): string {
  const minutes = Math.abs(Number(offset / 60_000_000n));
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offset < 0n ? '-' : '+'}${hour}:${minute}`;
}

/** `POST /v1/funnels`. Definitions and values are JSON already and go in untouched, every digit kept. */
export async function answerFunnel(parts: QuestionParts, call: QueryRequest): Promise<Answer | Refusal> {
  const question = readFunnel(await questionText(parts, call));
  if (!question.ok) return refuseBody(question.problems).refusal;
  const { project } = call;
  const found = await countFunnel(budgetOf(parts, project), contextOf(project), question.value);
  const steps = question.value.audiences.map((audience, index) => {
    const [reached = 0, next] = found.reached.slice(index);
    const dropped = next === undefined ? null : reached - next;
    return `{"reached":${reached},"audience":${audience.reached},"dropped":${dropped},"dropped_audience":${audience.dropped}}`;
  });
  const series = found.series.map(
    ({ value, isOther, reached }) => `{"value":${value},"other":${isOther},"reached":[${reached.join(',')}]}`,
  );
  const cost = JSON.stringify({ took_ms: Math.round(found.tookMs), rows_read: found.rowsRead });
  return { status: 200, body: `{"steps":[${steps.join(',')}],"series":[${series.join(',')}],${cost.slice(1)}` };
}

/** `GET /v1/summary` */
export async function answerSummary(summaries: Summaries, { project }: Pick<Call, 'project'>): Promise<Answer> {
  const { from, to, events, activeUsers, newUsers, hours, topEvents, days } = await summaries.of(
    project,
    contextOf(project).now,
  );
  const body: Documented<'GET /v1/summary'> = {
    from: formatMicros(from),
    to: formatMicros(to),
    events,
    active_users: activeUsers,
    new_users: newUsers,
    hours: hours.map(({ start, ...figure }) => ({ start: formatMicros(start), ...figure })),
    top_events: topEvents,
    days: days.map(({ start, activeUsers: active_users, newUsers: new_users, ...day }) => {
      return { start: formatMicros(start), ...day, active_users, new_users };
    }),
  };
  return { status: 200, body: JSON.stringify(body) };
}
