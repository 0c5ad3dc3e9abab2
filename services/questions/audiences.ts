import type { Micros } from '../messages/message.ts';
import type { Audience } from './definition/audience.ts';
import type { QueryBudget } from './query-budget.ts';
import { namedUser, sampleUser, type SampleUser } from './sample-user.ts';
import { compileComparison, compilePreview, type PreviewOptions } from './sql/compile.ts';
import { compileUnnamed } from './sql/compile-members.ts';

/** How many users an audience has, and some of them. Plain data. */
export interface Preview {
  /** The number of distinct users. */
  readonly count: number;
  /** Callers' user ids, sorted. */
  readonly sample: readonly string[];
  /** Some of them, whatever they are known by, in the order of internal ids. */
  readonly sampleUsers: readonly SampleUser[];
  readonly tookMs: number;
  readonly rowsRead: number;
}

/** Some of the users of a group. */
export interface UserGroup {
  readonly count: number;
  readonly sample: readonly SampleUser[];
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
  const { projectId, sampleSize } = options;
  const rows = await budget.ask<PreviewRow>(compilePreview(definition, options));
  const { count, sample, named, unnamed } = rows[0] as PreviewRow;
  const users = named.map((ids) => namedUser(projectId, ...ids));
  if (unnamed.length > 0) {
    const others = compileUnnamed(projectId, unnamed, sampleSize - users.length);
    for (const row of await budget.ask<{ readonly internal_id: string }>(others))
      users.push(sampleUser(row.internal_id, '', ''));
  }
  const { answeringMs: tookMs, rowsRead } = budget;
  return { count: Number(count), sample, sampleUsers: sorted(users), tookMs, rowsRead };
}

/**
 * The users who enter, leave and stay if the definition of an audience becomes another.
 *
 * @throws TidemarkError as `previewAudience`.
 */
export async function compareAudiences(
  budget: QueryBudget,
  from: Audience,
  to: Audience,
  options: PreviewOptions,
): Promise<Comparison> {
  const rows = await budget.ask<ComparisonRow>(compileComparison(from, to, options));
  const row = rows[0] as ComparisonRow;
  const group = (name: GroupName): UserGroup => ({
    count: Number(row[name]),
    sample: row[`${name}_sample`].map((ids) => sampleUser(...ids)),
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
  readonly sample: readonly string[];
  readonly named: readonly (readonly [userId: string, anonymousId: string])[];
  readonly unnamed: readonly string[];
}

type GroupName = 'entering' | 'leaving' | 'staying';

type ComparisonRow = Readonly<Record<'from_count' | 'to_count' | GroupName, string>> &
  Readonly<Record<`${GroupName}_sample`, readonly (readonly [userKey: string, userId: string, anonymousId: string])[]>>;

function sorted(users: readonly SampleUser[]): readonly SampleUser[] {
  return users.toSorted((one, other) => (one.userKey < other.userKey ? -1 : 1));
}
