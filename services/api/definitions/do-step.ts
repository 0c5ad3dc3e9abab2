/** Does a step within a transaction: by the operation that does it by hand, which checks it. */
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Change, Route } from '../../http/route.ts';
import { toJsonText } from '../../messages/json.ts';
import { SqlAudienceStore } from '../../questions/saved/sql-audience-store.ts';
import { SqlWatchStore } from '../../questions/watches/sql-watch-store.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { standInFor } from '../../runtime/stand-in.ts';
import type { Database, Queryable } from '../../stores/database/database.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import { SqlProjectStore } from '../../stores/projects/sql-project-store.ts';
import { SqlPinsAndNotes } from '../../stores/service-state/sql-pins-and-notes.ts';
import { SqlEndpointStore } from '../../webhooks/sql-endpoint-store.ts';
import { settingRoutes } from '../admin/projects.ts';
import { savedRoutes } from '../audiences/routes.ts';
import { endpointRoutes } from '../endpoints/routes.ts';
import { routesByName } from '../input.ts';
import { pinsAndNotesRoutes } from '../pins-and-notes.ts';
import { DEFINED_KINDS, type Stores } from './kinds.ts';
import { objectKeyOf, type PlanStep } from './plan.ts';
import { type ReferredKind, withOtherReferences } from './references.ts';

/** `maxAudiences`: how many a project may have. */
export type Checks = Pick<Stores, 'limitsOf' | 'addresses' | 'isOnKafka'> & { readonly maxAudiences: number };

/** The stores, whose transactions are part of this one. What others answer was asked before, or is of no account. */
export function storesWithin(transaction: Queryable, { maxAudiences, ...checks }: Checks): Stores {
  const database = { query: transaction.query.bind(transaction), transaction: (run) => run(transaction) } as Database;
  const absent = new TidemarkError('STORE_UNAVAILABLE', 'not to be asked within a transaction');
  const answered = standInFor<never>(() => Promise.resolve());
  const silent = standInFor<never>(() => Promise.reject(absent));
  return {
    ...checks,
    projects: new SqlProjectStore(database),
    saved: new SqlAudienceStore(database, maxAudiences),
    endpoints: new SqlEndpointStore(database),
    watches: new SqlWatchStore(database),
    pinsAndNotes: new SqlPinsAndNotes(database),
    evaluator: answered,
    generations: answered,
    analytics: silent,
    catalog: silent,
    endpointTester: silent,
  };
}

/** `ids`: those of objects by their kinds and names, to which the one of an object that is made is added. */
export interface Surroundings extends Pick<Call, 'key'> {
  readonly operations: ReturnType<typeof stepOperations>;
  readonly project: Project;
  readonly ids: Map<string, string>;
}

/** What came of a step. `secret`: that of an endpoint, or the key, which was made. */
export interface Done {
  readonly id: string;
  readonly audit: readonly Change[];
  readonly secret?: string | null | undefined;
  readonly warnings: readonly { readonly pointer: string }[];
}

/** The operations by which steps are done. */
export function stepOperations(stores: Stores): ReadonlyMap<string, Route> {
  const all = [settingRoutes(stores), savedRoutes(stores), endpointRoutes(stores), pinsAndNotesRoutes(stores)];
  return routesByName(all.flat());
}

/** @throws TidemarkError What the operation throws. */
export async function doStep(given: Surroundings, step: PlanStep): Promise<Done | Refusal> {
  const { kind, name, change, wanted } = step;
  const operation = change === 'follow' || change === 'left' ? undefined : DEFINED_KINDS[kind][change];
  const answer = await given.operations.get(operation ?? '')?.handle(requestByHand(given, step));
  if (answer === undefined) throw new Error(`nothing does the ${change} of ${kind}`);
  if ('refused' in answer) return answer;
  const made = JSON.parse(answer.body as string) as Partial<Done> & { readonly key?: string };
  const { id = name, secret = made.key, warnings = [] } = made;
  given.ids.set(objectKeyOf(step), id);
  const hash = wanted?.sha256 === undefined ? '' : `,"file_sha256":"${wanted.sha256}"`;
  const audit = [answer.audit ?? []].flat().map((one) => {
    return { ...one, project: given.project.id, after: one.after && `${one.after.slice(0, -1)}${hash}}` };
  });
  return { id, secret, audit, warnings: warnings.map((one) => ({ ...one, pointer: `${wanted?.at}${one.pointer}` })) };
}

/** The request that does it by hand. */
function requestByHand({ project, key, ids }: Surroundings, step: PlanStep): Call {
  const { kind, name, id = project.id, change, members: changed, wanted } = step;
  const idOf = (other: string, of: ReferredKind) => ids.get(objectKeyOf({ kind: of, name: other }));
  const members = withOtherReferences(wanted?.members ?? {}, idOf);
  const sent = DEFINED_KINDS[kind].sent ?? (change === 'create' ? Object.keys(members) : changed);
  const text = toJsonText(Object.fromEntries(sent.map((member) => [member, members[member]])));
  const named = { project, projectId: project.id, params: { id, name }, key };
  return { ...named, query: new URLSearchParams(), headers: {}, text } as unknown as Call;
}
