import type { Micros } from '../messages/message.ts';
import type { Audience } from './definition/audience.ts';
import type { QueryBudget } from './query-budget.ts';
import { knownIds, type KnownIds } from './known-ids.ts';
import {
  compileComparison,
  compilePreview,
  compileUserIds,
  type ComparisonOptions,
  MAX_SAMPLE,
  type PreviewOptions,
} from './sql/compile.ts';
import { type KnownUser, usersNumbered } from './users/user-list.ts';

/** Some users have no user id, so more are read than a sample has. */
const READ_OF_ONE = 4;

/** How many users an audience has, and some of them. Plain data. */
export interface Preview {
  /** The number of distinct users. */
  readonly count: number;
  /** Callers' user ids, sorted. */
  readonly sample: readonly string[];
  /** Some of them, whatever they are known by, in the order of internal ids. */
  readonly sampleUsers: readonly KnownIds[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** Some of the users of a group. */
export interface UserGroup {
  readonly count: number;
  readonly sample: readonly KnownIds[];
}

/** What becomes of the users of an audience if its definition becomes another. Plain data. */
export interface Comparison {
  readonly evaluatedAt: Micros;
  readonly fromCount: number;
  readonly toCount: number;
  readonly entering: UserGroup;
  readonly leaving: UserGroup;
  readonly staying: UserGroup;
  readonly tookMs: number;
  readonly rowsRead: number;
}

/**
 * Counts an audience, and names some of its users.
 *
 * @throws TidemarkError `QUERY_LIMIT` past the limits, naming which; `STORE_UNAVAILABLE`, retryable.
 */
export async function previewAudience(
  budget: QueryBudget,
  definition: Audience,
  options: PreviewOptions,
): Promise<Preview> {
  const { sampleSize } = options;
  const [found] = await budget.ask<PreviewRow>(
    compilePreview(definition, { ...options, sampleSize: Math.min(sampleSize * READ_OF_ONE, MAX_SAMPLE) }),
  );
  const { count, users } = found as PreviewRow;
  const known = users.length === 0 ? new Map<string, KnownUser>() : await usersNumbered(budget, options, users);
  const read = users.flatMap((number) => known.get(number) ?? []);
  const ids = read.flatMap(({ userId }) => userId ?? []).slice(0, sampleSize);
  const isShort = ids.length < sampleSize && users.length < Number(count);
  const sample = isShort ? await moreIds(budget, definition, options) : ids;
  const { answeringMs: tookMs, rowsRead } = budget;
  return {
    count: Number(count),
    sample: sample.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    sampleUsers: read.slice(0, sampleSize),
    tookMs,
    rowsRead,
  };
}

async function moreIds(budget: QueryBudget, definition: Audience, options: PreviewOptions): Promise<readonly string[]> {
  const rows = await budget.ask<{ readonly user_id: string }>(compileUserIds(definition, options));
  return rows.map(({ user_id: id }) => id);
}

/**
 * The users who enter, leave and stay if the definition of an audience becomes another, or if ids become joined or apart.
 *
 * @throws TidemarkError as `previewAudience`.
 */
export async function compareAudiences(
  budget: QueryBudget,
  from: Audience,
  to: Audience,
  options: ComparisonOptions,
): Promise<Comparison> {
  const rows = await budget.ask<ComparisonRow>(compileComparison(from, to, options));
  const row = rows[0] as ComparisonRow;
  const group = (name: GroupName): UserGroup => ({
    count: Number(row[name]),
    sample: row[`${name}_sample`].map((ids) => knownIds(...ids)),
  });
  const { answeringMs: tookMs, rowsRead } = budget;
  return {
    evaluatedAt: options.now,
    fromCount: Number(row.from_count),
    toCount: Number(row.to_count),
    entering: group('entering'),
    leaving: group('leaving'),
    staying: group('staying'),
    tookMs,
    rowsRead,
  };
}

interface PreviewRow {
  readonly count: string;
  readonly users: readonly string[];
}

type GroupName = 'entering' | 'leaving' | 'staying';

type ComparisonRow = Readonly<Record<'from_count' | 'to_count' | GroupName, string>> &
  Readonly<Record<`${GroupName}_sample`, readonly (readonly [userKey: string, userId: string, anonymousId: string])[]>>;
