/** Messages that tell of no change of an audience. Each is kept whole until it is delivered, for nothing else has it. */
import { formatMs } from '../messages/timestamp.ts';
import type { Queryable } from '../stores/database/database.ts';
import { NOW_MS } from '../stores/database/sql-time.ts';
import type { NoticeType, WaitingNotice } from './endpoint-store.ts';
import { makeMessageId } from './sql-endpoint-claims.ts';

/** A message for an endpoint. */
export interface NewNotice {
  readonly endpointId: string;
  /** JSON: the member `data` of the message. */
  readonly data: string;
}

/** A person as a message names them. */
export interface ForgottenPerson {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
}

/** What a verification found that ended with differences. */
export interface FoundDifference {
  /** The id of its job; null where the service did it by itself. */
  readonly job: string | null;
  /** The project that it was about; null for all. */
  readonly project: string | null;
  readonly since: string | null;
  readonly until: string | null;
  readonly missing: { readonly postgres: number; readonly clickhouse: number };
  readonly surplus: { readonly postgres: number; readonly clickhouse: number };
  readonly hoursDifferent: number;
  /** Users whose profile differs, where profiles were compared. */
  readonly profilesDifferent: number;
  /** Records of the log that are blank, and are not those of people who were forgotten. */
  readonly blankUnlisted: number;
}

/** Bounds a message: Standard Webhooks recommends messages that are small. */
const PEOPLE_OF_A_MESSAGE = 100;

/** Makes messages, in this order, to be sent after those that wait. Endpoints that were deleted meanwhile get none. */
export async function addNotices(database: Queryable, type: NoticeType, notices: readonly NewNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await database.query(
    `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, notice)
     select n.id, n.endpoint_id, $1, 'waiting', ${NOW_MS}, n.data
     from unnest($2::text[], $3::text[], $4::text[]) with ordinality as n (id, endpoint_id, data, position)
     join endpoints e on e.id = n.endpoint_id
     order by n.position
     for key share of e`,
    [type, notices.map(makeMessageId), notices.map(({ endpointId }) => endpointId), notices.map(({ data }) => data)],
  );
}

/** Something to tell the endpoints of a project, or of the installation. */
export interface NoticeTo {
  readonly type: NoticeType;
  readonly projectId: string | null;
  /** Ids: these alone, whatever they take; left out or null: those that take the type. */
  readonly endpoints?: readonly string[] | null;
  /** The member `data`, or those of several messages in this order. */
  readonly data: object | readonly object[];
}

export async function note(database: Queryable, { type, projectId, endpoints = null, data }: NoticeTo): Promise<void> {
  const texts = [data].flat().map((one) => JSON.stringify(one));
  const wanting = await database.query<{ readonly id: string }>(
    `select id from endpoints
     where project_id is not distinct from $1::text
       and case when $3::text[] is null then $2::text = any (types) else id = any ($3::text[]) end
     order by id`,
    [projectId, type, endpoints],
  );
  const notices = wanting.flatMap(({ id }) => texts.map((text) => ({ endpointId: id, data: text })));
  await addNotices(database, type, notices);
}

/** Tells every endpoint of the project that wants it of people who were forgotten. */
export async function noteForgotten(
  database: Queryable,
  projectId: string,
  people: readonly ForgottenPerson[],
): Promise<void> {
  const data: object[] = [];
  for (let from = 0; from < people.length; from += PEOPLE_OF_A_MESSAGE)
    data.push({ project_id: projectId, users: people.slice(from, from + PEOPLE_OF_A_MESSAGE) });
  await note(database, { type: 'user.forgotten', projectId, data });
}

/** Tells every endpoint of the installation that wants it that a verification ended with differences. */
export async function noteDifference(database: Queryable, found: FoundDifference): Promise<void> {
  const data = {
    job_id: found.job,
    project_id: found.project,
    since: found.since,
    until: found.until,
    missing: found.missing,
    surplus: found.surplus,
    hours_different: found.hoursDifferent,
    profiles_different: found.profilesDifferent,
    blank_unlisted: found.blankUnlisted,
  };
  await note(database, { type: 'verification.differs', projectId: null, data });
}

/** The body of a message. */
export function noticeBody({ type, createdAtMs, notice }: WaitingNotice): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${formatMs(createdAtMs)}","data":${notice}}`;
}
