/** `POST /v1/users/query`: users by an audience or a text, those seen last first. */
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { EARLIEST, END_OF_TIME, formatMicros } from '../../messages/timestamp.ts';
import { readDefinition } from '../../questions/definition/definition.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { consult, type QuestionParts } from '../../questions/saved/consult.ts';
import { type QueriedUser, listUsers, type UserPosition } from '../../questions/users/user-list.ts';
import { unseenIn, type WarningParts } from '../../questions/catalog/unseen.ts';
import { withWarnings } from '../audiences/audience-json.ts';
import { readTraitChoice } from '../../stores/profiles/trait-choice.ts';
import { readBody } from '../input.ts';
import { contextOf, refuseBody } from '../query.ts';
import type { UserStores } from './store-parts.ts';
import { idsJson, textsWithTraits } from './traits-of-users.ts';

export type UserListParts = UserStores & QuestionParts & WarningParts;

export async function answerUsersQuery(
  parts: UserListParts,
  call: Pick<Call, 'project' | 'text'>,
): Promise<Answer | Refusal> {
  const { project } = call;
  const options = { timezone: project.timezone, path: '/users', ...(await consult(parts, project, call.text)) };
  const read = readBody('POST /v1/users/query', call, ({ users }) =>
    users === undefined ? { ok: true, definition: null, warnings: [] } : readDefinition(users, options),
  );
  if (!read.ok) return read.refusal;
  const { body, also } = read.value;
  const traits = readTraitChoice(body.traits);
  if (!traits.ok) return refuseBody([{ path: '/traits', message: traits.message }]).refusal;
  const after = body.cursor === undefined ? null : decodeUserPosition(body.cursor);
  if (after === undefined) return WRONG_CURSOR;
  const unseen = also.definition === null ? [] : unseenIn(parts.catalog, project, also.definition, '/users');
  const budget = budgetOf(parts, project);
  const { total, users, hasMore } = await listUsers(budget, contextOf(project), {
    users: also.definition,
    search: body.search === undefined ? null : { text: body.search, traits: project.searchTraits },
    sort: body.sort,
    limit: body.limit,
    after,
    countsEvents: body.count_events,
  });
  const bodies = await textsWithTraits(parts, project.id, users, traits.value, userBody);
  const last = hasMore || bodies.length < users.length ? users[bodies.length - 1] : undefined;
  const next = last === undefined ? null : encodeUserPosition(last.position);
  const rest = { next_cursor: next, took_ms: Math.round(budget.answeringMs), rows_read: budget.rowsRead };
  const json = `{"total":${total},"users":[${bodies.join(',')}],${JSON.stringify(rest).slice(1)}`;
  return { status: 200, body: withWarnings(json, [...also.warnings, ...(await unseen)]) };
}

function userBody({ firstSeen, lastSeen, events, ...ids }: QueriedUser): string {
  return JSON.stringify({
    ...idsJson(ids),
    first_seen: formatMicros(firstSeen),
    last_seen: formatMicros(lastSeen),
    ...(events !== null && { events }),
  });
}

const WRONG_CURSOR = refuseBody([{ path: '/cursor', message: 'was not given by this service' }]).refusal;

const CURSOR = /^(-?\d{1,17})\.([0-9a-f]{32})$/;

function encodeUserPosition({ at, user }: UserPosition): string {
  return `${at}.${user.toString(16).padStart(32, '0')}`;
}

function decodeUserPosition(text: string): UserPosition | undefined {
  const [, at, user] = CURSOR.exec(text) ?? [];
  if (at === undefined || user === undefined) return undefined;
  const micros = BigInt(at);
  return micros >= EARLIEST && micros < END_OF_TIME ? { at: micros, user: BigInt(`0x${user}`) } : undefined;
}
