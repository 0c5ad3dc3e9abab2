import { parseBody } from '../../messages/json.ts';
import { hasCode } from '../../runtime/errors.ts';
import { MAX_STEPS, MAX_STEPS_TOGETHER } from '../definition/limits.ts';
import type { RejectedPatterns } from '../definition/reading.ts';
import type { QueryBudget } from '../query-budget.ts';
import { Params } from '../sql/params.ts';
import type { TestOf } from './operator.ts';
import { matchSql, re2Text } from './pattern.ts';
import { stepsOf } from './pattern-size.ts';

/** By the pattern that ClickHouse was given: why it refused it, null where it did not. The oldest go first. */
const ANSWERS = new Map<string, string | null>();
const MOST_ANSWERS = 1_000;

/** What a pattern counts at least, so that there are not too many for a query. Two definitions have 200. */
const LEAST_STEPS = 50;

/**
 * The patterns in the JSON of a definition, or a body with some, that are refused, with the reason. The first refused one
 * is the last that is compiled, and none is compiled where all together would take too long.
 *
 * @throws TidemarkError as `AnalyticsReader.ask`.
 */
export async function rejectedPatterns(
  budget: QueryBudget,
  projectId: string,
  json: string,
): Promise<RejectedPatterns> {
  const parsed = parseBody(json);
  const tests = parsed.ok ? [...patternsIn(parsed.value.plain)] : [];
  // Those that are too large each are refused where they are read.
  const sized = tests
    .map((test) => ({ test, steps: Math.max(stepsOf(test.value), LEAST_STEPS) }))
    .filter(({ steps }) => steps <= MAX_STEPS);
  const steps = sized.reduce((sum, one) => sum + one.steps, 0);
  const tooMuch = sized.at(-1);
  if (steps > MAX_STEPS_TOGETHER && tooMuch)
    return new Map([[tooMuch.test.value, 'is too large a pattern beside the other ones']]);
  const unknown = sized.filter(({ test }) => !ANSWERS.has(re2Text(test))).map(({ test }) => test);
  if (unknown.length > 1 && (await reasonAgainst(budget, projectId, unknown)) === null)
    for (const test of unknown) keep(test, null);
  for (const { test } of sized) {
    const answered = ANSWERS.get(re2Text(test));
    const reason = answered === undefined ? keep(test, await reasonAgainst(budget, projectId, [test])) : answered;
    if (reason !== null) return new Map([[test.value, reason]]);
  }
  return new Map();
}

/** Recursion is bounded by the depth of a body. */
function* patternsIn(json: unknown): Generator<TestOf<'matches'>> {
  if (typeof json !== 'object' || json === null) return;
  const { matches, ignore_case: ignoreCase } = json as Readonly<Record<string, unknown>>;
  if (typeof matches === 'string')
    yield { test: 'matches', value: matches, ...(ignoreCase === true && { ignoresCase: true }) };
  for (const member of Object.values(json)) yield* patternsIn(member);
}

function keep(test: TestOf<'matches'>, reason: string | null): string | null {
  ANSWERS.set(re2Text(test), reason);
  const [oldest] = ANSWERS.keys();
  if (ANSWERS.size > MOST_ANSWERS && oldest !== undefined) ANSWERS.delete(oldest);
  return reason;
}

/** Null where ClickHouse takes all of them. */
async function reasonAgainst(
  budget: QueryBudget,
  projectId: string,
  tests: readonly TestOf<'matches'>[],
): Promise<string | null> {
  const params = new Params();
  const sql = `SELECT [${tests.map((test) => matchSql(params, `''`, test)).join(', ')}] AS found`;
  try {
    await budget.ask({ projectId, sql, params: params.values() });
    return null;
  } catch (error) {
    const [, words] = (hasCode(error, 'STORE_REJECTED') && REASON.exec(error.message)) || [];
    if (words === undefined) throw error;
    return `is not a pattern of RE2: ${words}`;
  }
}

const REASON = /CANNOT_COMPILE_REGEXP \((.*)\)$/s;
