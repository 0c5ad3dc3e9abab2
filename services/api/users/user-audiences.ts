/** `GET /v1/users/:user_id/audiences`: in which saved audiences of the project a user is. */
import { type Membership, readMemberships } from '../../questions/explain/memberships.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { definitionsOf } from '../../questions/saved/references.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import type { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros, microsAt } from '../../messages/timestamp.ts';
import { type LastChangeRow, lastChangesQuery } from '../../questions/users/user-history.ts';
import { decodeListCursor, encodeListCursor } from '../audiences/cursor.ts';
import type { Input } from '../input.ts';
import { pageFrom, readCursor } from '../query.ts';
import { NOBODY, personNamed } from './named-user.ts';
import type { UserStores } from './store-parts.ts';

export interface UserAudienceParts extends UserStores {
  readonly saved: Pick<SqlAudienceStore, 'list' | 'findAll'>;
  readonly nowMs?: () => number;
}

/** As many as a project has unless it is told otherwise. */
const PAGE_AUDIENCES = 100;

/** All are evaluated now, at one instant, under the limits of one question. */
export async function answerUserAudiences(
  parts: UserAudienceParts,
  { project }: Call,
  userKey: string,
  { query: { cursor } }: Input<'GET /v1/users/{user_id}/audiences'>,
): Promise<Answer | Refusal> {
  const after = readCursor(cursor, decodeListCursor);
  if (!after.ok) return after.refusal;
  const found = await parts.saved.list(project.id, PAGE_AUDIENCES + 1, after.value);
  const { items: page, next } = pageFrom(found, PAGE_AUDIENCES, encodeListCursor);
  const user = await personNamed(parts, project, userKey);
  const now = microsAt((parts.nowMs ?? Date.now)());
  const definitions = await definitionsOf(parts.saved, page, project);
  const memberships = await readMemberships(budgetOf(parts, project), definitions, user, now);
  if (memberships === undefined) return NOBODY;
  const ids = page.map(({ id }) => id);
  const kept = await parts.analytics.askHistory(lastChangesQuery(user, ids), parts.limitsOf(project));
  return { status: 200, body: pageBody(page, memberships, kept.rows, now, next) };
}

function pageBody(
  page: readonly SavedAudience[],
  memberships: readonly Membership[],
  kept: readonly unknown[],
  now: Micros,
  next: string | null,
): string {
  const changes = new Map((kept as readonly LastChangeRow[]).map((row) => [row.audience_id, row]));
  const audiences = page.map((audience, index) =>
    membershipJson(audience, memberships[index] ?? OUT, changes.get(audience.id)),
  );
  return JSON.stringify({ evaluated_at: formatMicros(now), audiences, next_cursor: next });
}

const OUT: Membership = { isMember: false, changesAt: null };

/** `since` is known where the last evaluation found the same, by the same definition. */
function membershipJson(
  { id, name, version, evaluation }: SavedAudience,
  { isMember, changesAt }: Membership,
  change: LastChangeRow | undefined,
): object {
  const wasMember = change?.change === 'entered';
  const isSame = evaluation !== null && evaluation.version === version && wasMember === isMember;
  return {
    id,
    name,
    version,
    is_member: isMember,
    since: isSame && change !== undefined ? formatMicros(BigInt(change.at)) : null,
    changes_at: changesAt === null ? null : formatMicros(changesAt),
    evaluation: evaluation && { at: formatMicros(evaluation.at), version: evaluation.version, is_member: wasMember },
  };
}
