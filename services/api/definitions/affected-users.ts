/** Which audiences definitions affect, and how many users enter and leave them. */
import { isDeepStrictEqual } from 'node:util';
import { compareAudiences } from '../../questions/audiences.ts';
import type { Audience } from '../../questions/definition/audience.ts';
import { type AnalyticsParts, budgetOf } from '../../questions/query-budget.ts';
import { readAll } from '../../questions/saved/references.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { contextOf } from '../query.ts';
import { ALL, type Stores } from './kinds.ts';

/** An audience in which nobody is. */
const EMPTY_AUDIENCE: Audience = { kind: 'not', of: { kind: 'sample', hundredths: 10_000, seed: 'nobody' } };

/** What the audiences of a project ask, with what they refer to, by their names. */
export async function questionsOf({ saved }: Pick<Stores, 'saved'>, project: Project) {
  const all = await saved.list(project.id, ALL);
  const read = await readAll(saved, all, project);
  return new Map(all.map(({ name }, at) => [name, read[at]?.ok === true ? read[at].definition : EMPTY_AUDIENCE]));
}

/** What audiences asked, and ask then: those that ask something else, or whose project joins ids anew. */
export type Affected = ReadonlyMap<string, readonly [before: Audience, after: Audience]>;

type Questions = ReadonlyMap<string, Audience>;

export function affectedBy(before: Questions, after: Questions, isJoinedAnew: boolean): Affected {
  const pairs = [...new Set([...before.keys(), ...after.keys()])].map((name) => {
    return [name, [before.get(name) ?? EMPTY_AUDIENCE, after.get(name) ?? EMPTY_AUDIENCE]] as const;
  });
  return new Map(pairs.filter(([, [from, to]]) => isJoinedAnew || !isDeepStrictEqual(from, to)));
}

const COUNTED_WITHIN_MS = 20_000;

/** As `POST /v1/audiences/compare` counts, one after the other, until the time is over. A failure is one of its audience alone. */
export async function countAffected(
  parts: AnalyticsParts,
  project: Project,
  { affected, joins: toJoins }: { readonly affected: Affected; readonly joins: boolean },
  names: readonly string[] = [...affected.keys()],
) {
  const [endsAt, counted] = [performance.now() + COUNTED_WITHIN_MS, new Map<string, object>()];
  for (const [name, [from, to]] of affected) {
    if (!names.includes(name) || performance.now() > endsAt) continue;
    try {
      const options = { ...contextOf(project), sampleSize: 0, toJoins };
      const found = await compareAudiences(budgetOf(parts, project), from, to, options);
      const [entering, leaving] = [found.entering.count, found.leaving.count];
      counted.set(name, { users: { from: found.fromCount, to: found.toCount, entering, leaving } });
    } catch (error) {
      if (!hasCode(error, 'QUERY_LIMIT')) throw error;
      counted.set(name, { failure: error.code });
    }
  }
  return counted;
}
