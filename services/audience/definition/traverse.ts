import type { Audience, EventCondition, TraitCondition } from './audience.ts';

/** A condition, and the RFC 6901 pointer to where it stands in the document of its definition. */
export interface LocatedCondition {
  readonly path: string;
  readonly condition: TraitCondition | EventCondition;
}

/** The parts of a group with their pointers; none of a condition. */
export function partsOf(audience: Audience, path: string): readonly (readonly [Audience, string])[] {
  if (audience.kind === 'not') return [[audience.of, `${path}/not`]];
  if (audience.kind !== 'all' && audience.kind !== 'any') return [];
  return audience.of.map((part, index) => [part, `${path}/${audience.kind}/${index}`]);
}

/** Every condition, in the order of the definition. */
export function conditionsIn(audience: Audience, path: string): readonly LocatedCondition[] {
  if (audience.kind === 'trait' || audience.kind === 'event') return [{ path, condition: audience }];
  return partsOf(audience, path).flatMap(([part, at]) => conditionsIn(part, at));
}
