/** What makes of a project what its definitions say, and what is wrong with these. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../messages/message.ts';
import type { Defined } from './defined.ts';
import type { Kind } from './kinds.ts';
import { withOtherReferences } from './references.ts';

/** An object as the definitions want it. Members that are left out stay. */
export interface WantedObject extends Omit<Defined, 'id'> {
  /** The pointer to it in the body. */
  readonly at: string;
  /** The hash of its file. */
  readonly sha256?: string | undefined;
}

export interface PlanStep extends Pick<Defined, 'kind' | 'name'> {
  /** Left out of what is not there yet. */
  readonly id?: string;
  /** `follow`: an audience that stays, and asks something else. `left`: the definitions do not have it, and it stays. */
  readonly change: 'create' | 'change' | 'delete' | 'follow' | 'left';
  /** Which members change. */
  readonly members: readonly string[];
  readonly wanted?: WantedObject;
}

type Planned = Defined | WantedObject;

/** Longer chains are refused where they are read. */
const LONGEST_CHAIN = 100;

/**
 * The steps in the order that references need, then what is left; and the problems: names twice, references to nothing, circles.
 *
 * @param pruned The kinds of which is deleted what has a name and is not wanted.
 */
export function planOf(existing: readonly Defined[], wanted: readonly WantedObject[], pruned: readonly Kind[]) {
  const found = Map.groupBy(existing, objectKeyOf);
  const named = Map.groupBy(wanted, objectKeyOf);
  const others = existing.filter((one) => one.kind !== 'settings' && !named.has(objectKeyOf(one)));
  const isDeleted = ({ kind, members }: Planned): boolean => pruned.includes(kind) && members['name'] !== null;
  const deleted = new Set<Planned>(others.filter(isDeleted));
  const problems: Problem[] = wanted.flatMap((one) => {
    const { kind, name, at: path } = one;
    const isUnclear = (found.get(objectKeyOf(one)) ?? []).length > 1 && kind === 'endpoint';
    return [
      ...(named.get(objectKeyOf(one))?.[0] === one
        ? []
        : [{ path, message: `is the second ${kind} that is called ${name}` }]),
      ...(isUnclear ? [{ path, message: `is called as two endpoints of the project are: ${name}` }] : []),
    ];
  });
  const order = referredFirst([...wanted, ...others], deleted, problems);
  const deletions = order.filter((one) => deleted.has(one)).toReversed() as readonly Defined[];
  const steps: readonly PlanStep[] = [
    // What nothing refers to makes room first.
    ...deletions.flatMap((one) => (one.kind === 'audience' ? [] : [stepOf(one, 'delete')])),
    ...order.flatMap((one) => ('at' in one ? stepTo(one, found.get(objectKeyOf(one))?.[0]) : [])),
    ...deletions.flatMap((one) => (one.kind === 'audience' ? [stepOf(one, 'delete')] : [])),
    ...others.flatMap((one) => (deleted.has(one) ? [] : [stepOf(one, 'left')])),
  ];
  return { steps, problems };
}

/** The same, each behind those to which it refers. Adds what is wrong with references. */
function referredFirst(
  all: readonly Planned[],
  deleted: ReadonlySet<Planned>,
  problems: Problem[],
): readonly Planned[] {
  const named = Map.groupBy(all, objectKeyOf);
  const order = new Set<Planned>();
  const visit = (one: Planned, chain: readonly Planned[]): void => {
    if (order.has(one) || chain.length > LONGEST_CHAIN) return;
    if (chain.includes(one)) {
      const circle = [...chain.slice(chain.indexOf(one)), one];
      const at = circle.find((each) => 'at' in each)?.at;
      problems.push({
        path: `${at}/definition`,
        message: `refers to itself: ${circle.map(({ name }) => name).join(' → ')}`,
      });
      return;
    }
    withOtherReferences(one.members, (name, kind, path) => {
      const [referred, second] = named.get(objectKeyOf({ kind, name })) ?? [];
      const isMissing = referred === undefined || (deleted.has(referred) && !deleted.has(one));
      const isUnclear = kind === 'endpoint' && second !== undefined;
      if ((isMissing || isUnclear) && path !== undefined && 'at' in one) {
        const message = `names ${isMissing ? 'no' : 'more than one'} ${kind}: ${JSON.stringify(name)}`;
        problems.push({ path: one.at + path, message });
      }
      if (referred !== undefined) visit(referred, [...chain, one]);
      return name;
    });
    order.add(one);
  };
  for (const one of all) visit(one, []);
  return [...order];
}

export function objectKeyOf({ kind, name }: Pick<Planned, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

function stepTo(wanted: WantedObject, found: Defined | undefined): readonly PlanStep[] {
  const { kind, name, members } = wanted;
  if (found === undefined) return [{ kind, name, change: 'create', members: [], wanted }];
  const changed = Object.keys(members).filter((one) => !isDeepStrictEqual(members[one], found.members[one]));
  return changed.length === 0 ? [] : [{ ...stepOf(found, 'change'), members: changed, wanted }];
}

export function stepOf({ kind, name, id }: Defined, change: PlanStep['change']): PlanStep {
  return { kind, name, id, change, members: [] };
}
