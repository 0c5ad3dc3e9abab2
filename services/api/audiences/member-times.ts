/** Since when the members of a page are in an audience and until when, beside their lines. */
import { Readable } from 'node:stream';
import type { Audience } from '../../questions/definition/audience.ts';
import { readChangesAt } from '../../questions/explain/memberships.ts';
import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import type { SavedAudience } from '../../questions/saved/audience-store.ts';
import { type EntryRow, entriesQuery } from '../../questions/users/user-history.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Micros } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import { userNumber } from '../../stores/analytics/columns.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { refuseParameter } from '../query.ts';

export const TIME_COLUMNS = ['since', 'changes_at'];

/** Each costs a reading of the events of its users. */
const MOST_WITH_TIMES = 100;

export function refuseTimes(limit: number | null): Refusal | undefined {
  if (limit !== null && limit <= MOST_WITH_TIMES) return undefined;
  return refuseParameter('limit', `is given, and ${MOST_WITH_TIMES} at most, where times are wanted`).refusal;
}

interface PageOfMembers {
  readonly audience: SavedAudience;
  readonly definition: Audience;
  readonly project: Project;
  /** When they were members. */
  readonly now: Micros;
}

/** Reads the lines of a page to their end. @throws TidemarkError `QUERY_LIMIT`; `STORE_UNAVAILABLE`, retryable. */
export async function withTimes(
  parts: AnalyticsParts,
  lines: AsyncIterable<Uint8Array>,
  { audience, definition, project, now }: PageOfMembers,
): Promise<AsyncIterable<Uint8Array>> {
  const texts = Buffer.concat(await Array.fromAsync(lines))
    .toString()
    .split('\n')
    .slice(0, -1);
  const users = texts.map((text) => (JSON.parse(text) as { readonly internal_id: string }).internal_id);
  if (users.length === 0) return Readable.from([]);
  const { id, evaluation, version } = audience;
  const isSame = evaluation?.version === version;
  const query = entriesQuery(project.id, id, users);
  const entries = isSame ? (await parts.analytics.askHistory(query, parts.limitsOf(project))).rows : [];
  const since = new Map(
    (entries as readonly unknown[] as readonly EntryRow[]).map(({ user, at }) => [user, formatMicros(BigInt(at))]),
  );
  const options = { projectId: project.id, joins: project.joinIds, now };
  const changes = await readChangesAt(budgetOf(parts, project), definition, users, options);
  const timed = users.map((user, i) => {
    const at = changes.get(user);
    const times = { since: since.get(userNumber(user)) ?? null, changes_at: at && formatMicros(at) };
    return `${texts[i]?.slice(0, -1)},${JSON.stringify(times).slice(1)}\n`;
  });
  return Readable.from([Buffer.from(timed.join(''))]);
}
