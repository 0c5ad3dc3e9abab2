import type { Body } from '../../../schemas/operations.ts';
import { DEFINITIONS_LIMIT_BYTES } from '../../http/body-limits.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer, RouteSet } from '../../http/route.ts';
import type { Problem } from '../../messages/message.ts';
import { rejectedPatterns } from '../../questions/operators/rejected-patterns.ts';
import { budgetOf } from '../../questions/query-budget.ts';
import { lockProject } from '../../questions/saved/references-sql.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import { expectProject } from '../../stores/projects/project-commands.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { ADMIN } from '../admin/answers.ts';
import { type Members, readBody, route } from '../input.ts';
import { refuseBody } from '../query.ts';
import { type Affected, affectedBy, countAffected, questionsOf } from './affected-users.ts';
import { definedIn, exported } from './defined.ts';
import { type Checks, type Done, doStep, stepOperations, storesWithin } from './do-step.ts';
import { KIND_NAMES, DEFINED_KINDS, objectNameOf, type Stores } from './kinds.ts';
import { objectKeyOf, planOf, type PlanStep, stepOf, type WantedObject } from './plan.ts';

const PATH = '/v1/admin/projects/{id}/definitions';

export function definitionRoutes({ definitions }: { readonly definitions: Definitions }): RouteSet {
  const write = { ...ADMIN, bodyLimitBytes: DEFINITIONS_LIMIT_BYTES };
  return {
    routes: [
      route(`GET ${PATH}`, ADMIN, (_, { path: { id } }) => definitions.exported(id)),
      route(`POST ${PATH}`, write, ({ text, key }, { path: { id } }) => definitions.apply({ id, text, key })),
    ],
  };
}

/** What is applied to the project of this id, and by which key. */
interface ApplyRequest extends Pick<Call, 'text' | 'key'> {
  readonly id: string;
}

export interface DefinitionsParts extends Checks, Pick<Stores, 'analytics' | 'projects' | 'generations'> {
  readonly database: Database;
  readonly evaluator: Pick<Stores['evaluator'], 'expectLive'>;
}

/** Makes of projects what their definitions say, where the stores are. Arguments and results can be cloned between threads. */
export class Definitions {
  readonly #parts: DefinitionsParts;

  constructor(parts: DefinitionsParts) {
    this.#parts = parts;
  }

  /** @throws TidemarkError `PROJECT_UNKNOWN`. */
  exported(id: string): Promise<Answer> {
    return exported(storesWithin(this.#parts.database, this.#parts), id);
  }

  /**
   * All of it in one transaction, or nothing. A dry run does the same, and undoes it.
   *
   * @throws TidemarkError `PROJECT_UNKNOWN`; what the operations throw by which it is done by hand.
   */
  async apply(request: ApplyRequest): Promise<Answer | Refusal> {
    const read = readBody(`POST ${PATH}`, request, (exact) => ({ ok: true as const, exact }));
    if (!read.ok) return read.refusal;
    const { body, also } = read.value;
    const wanted = wantedIn(body, also.exact);
    const project = await this.#expectAll(request.id, wanted);
    const undo = new Error('nothing of it stays');
    const outcomes: (Applied | Refusal)[] = [];
    const run = async (transaction: Queryable): Promise<void> => {
      const stores = storesWithin(transaction, this.#parts);
      await lockProject(transaction, project.id);
      const outcome = await applied(stores, { project, key: request.key }, body, wanted);
      outcomes.push(outcome);
      if (body.dry_run || 'refused' in outcome) throw undo;
    };
    await this.#parts.database.transaction(run).catch((error: unknown) => {
      if (error !== undo) throw error;
    });
    const [outcome] = outcomes as [Applied | Refusal];
    if ('refused' in outcome) return outcome;
    if (!body.dry_run) return appliedAnswer(outcome);
    return appliedAnswer(outcome, await countAffected(this.#parts, project, outcome, body.numbers_of));
  }

  /** What cannot be asked within a transaction: an embedded database has others wait for its end. */
  async #expectAll(id: string, wanted: readonly WantedObject[]): Promise<Project> {
    const { projects, evaluator, generations } = this.#parts;
    const project = await expectProject(projects, id);
    const has = (name: string, value: unknown): boolean => wanted.some(({ members }) => members[name] === value);
    if (has('refresh', 'live')) await evaluator.expectLive();
    if (has('join_ids', true) && !project.joinIds) await generations.expectJoins(id);
    // The answers are kept.
    for (const { members } of wanted)
      await rejectedPatterns(budgetOf(this.#parts, project), id, JSON.stringify(members['definition'] ?? null));
    return project;
  }
}

/** The members that have conditions, whose numbers keep every digit. */
const EXACT_MEMBERS: readonly string[] = ['definition', 'question', 'rule'];

/** @param exact The body with every digit of its numbers. */
function wantedIn(body: Members, exact: Members): readonly WantedObject[] {
  return KIND_NAMES.flatMap((kind) => {
    const { list, defaults, tidied = (members) => members } = DEFINED_KINDS[kind];
    const [plain, digits] = [body, exact].map((one) => [one[list] ?? []].flat() as Members[]);
    return (plain ?? []).map(({ sha256, ...given }, index) => {
      const conditions = Object.entries(digits?.[index] ?? {}).filter(([name]) => EXACT_MEMBERS.includes(name));
      const members = tidied({ ...defaults, ...given, ...Object.fromEntries(conditions) });
      const at = `/${list}${Array.isArray(body[list]) ? `/${index}` : ''}`;
      return { kind, name: objectNameOf(kind, members), members, at, sha256: sha256 as string | undefined };
    });
  });
}

/** `done`: what came of the first steps, which are those that were done. `joins`: whether ids are joined then. */
interface Applied {
  readonly steps: readonly PlanStep[];
  readonly done: readonly Done[];
  readonly affected: Affected;
  readonly joins: boolean;
}

async function applied(
  stores: Stores,
  { project, key }: Pick<ApplyRequest, 'key'> & { readonly project: Project },
  body: Body<`POST ${typeof PATH}`>,
  wanted: readonly WantedObject[],
): Promise<Applied | Refusal> {
  const existing = await definedIn(stores, project.id);
  const audiences = existing.filter(({ kind }) => kind === 'audience');
  const before = await questionsOf(stores, project);
  const pruned = KIND_NAMES.filter((kind) => body.prune && body[DEFINED_KINDS[kind].list] !== undefined);
  const plan = planOf(existing, wanted, pruned);
  const problems: Problem[] = [...plan.problems];
  const [ids, done] = [new Map(existing.map((one) => [objectKeyOf(one), one.id])), [] as Done[]];
  let now = project;
  const operations = stepOperations(stores);
  for (const step of problems.length > 0 ? [] : plan.steps.filter(({ change }) => change !== 'left')) {
    const outcome = await doStep({ operations, project: now, key, ids }, step);
    if (!('refused' in outcome)) done.push(outcome);
    else if (outcome.errors === undefined) return outcome;
    else problems.push(...outcome.errors.map(({ path, message }) => ({ path: `${step.wanted?.at}${path}`, message })));
    if (step.kind === 'settings') now = await expectProject(stores.projects, project.id);
  }
  if (problems.length > 0) return refuseBody(problems).refusal;
  const affected = affectedBy(before, await questionsOf(stores, now), now.joinIds !== project.joinIds);
  const planned = new Set(plan.steps.flatMap(({ kind, name }) => (kind === 'audience' ? [name] : [])));
  const following = audiences.filter(({ name }) => affected.has(name) && !planned.has(name));
  const steps = [...plan.steps, ...following.map((one) => stepOf(one, 'follow'))];
  return { steps, done, affected, joins: now.joinIds };
}

/** @param counted The users of audiences by their names, in a dry run. */
function appliedAnswer({ steps, done, affected }: Applied, counted?: ReadonlyMap<string, object>): Answer {
  const made = counted === undefined ? done : [];
  const objects = steps.map(({ kind, name, id = null, change, members }, at) => {
    const affects_users = kind === 'audience' && affected.has(name);
    const users = { users: null, failure: null, ...(affects_users && counted?.get(name)) };
    const { id: madeId = id, secret = null } = made[at] ?? {};
    return { kind, name, id: madeId, change, members, affects_users, ...users, secret };
  });
  const warnings = done.flatMap((one) => one.warnings);
  const body = JSON.stringify({ dry_run: counted !== undefined, objects, warnings });
  const hasSecrets = objects.some(({ secret }) => secret !== null);
  return { status: 200, body, audit: made.flatMap(({ audit }) => audit), ...(hasSecrets && { isSecret: true }) };
}
