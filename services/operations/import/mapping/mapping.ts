/** How a record becomes a call: one language for NDJSON and CSV, for people's own mappings and for presets. Pure. */
import { CALL_MEMBERS } from '../../../messages/body-schemas.ts';
import { TidemarkError } from '../../../runtime/errors.ts';
import type { ImportOptions } from '../import-options.ts';

export interface Rule {
  /** As `targetOf` has it; null leaves the sources out. */
  readonly to: string | null;
  /** Columns, or paths of members. The first one that has a value gives it. */
  readonly from: readonly string[];
}

export interface Mapping {
  readonly rules: readonly Rule[];
  /** What every call has, whatever its record says: places and texts. */
  readonly constants: Readonly<Record<string, string>>;
  /**
   * Where the rest of a record goes: to what it is named after, as people name it; to the traits or properties, to the
   * context or nowhere, whatever a product calls it; or to where it is already.
   */
  readonly rest: 'named' | 'free' | 'context' | 'nowhere' | 'kept';
}

/** Members of a call that hold an object. */
export const OBJECTS: readonly string[] = ['traits', 'properties', 'context'];
/** The other members of a call, each of which a column of that name fills. */
export const MEMBERS: readonly string[] = [...new Set([...CALL_MEMBERS.identify, ...CALL_MEMBERS.track])].filter(
  (name) => !OBJECTS.includes(name),
);

/** Where a value goes in the call. */
export interface Target {
  /** The members to go through. Under `isFree`: from the traits of an identify on, else from the properties. */
  readonly path: readonly string[];
  readonly isFree: boolean;
}

/** `user_id`, `traits.address.city`, `properties`; another name is a trait or a property, dots and all. */
export function targetOf(target: string): Target {
  if (MEMBERS.includes(target) || OBJECTS.includes(target)) return { path: [target], isFree: false };
  // For each member of each record: most have no dot.
  const [first = '', ...rest] = target.includes('.') ? target.split('.') : [];
  return OBJECTS.includes(first) ? { path: [first, ...rest], isFree: false } : { path: [target], isFree: true };
}

export const PLAIN: Mapping = { rules: [], constants: {}, rest: 'named' };
/** For records that are calls already. */
export const AS_IT_IS: Mapping = { ...PLAIN, rest: 'kept' };

/**
 * What people say, before what the preset says of the same places.
 *
 * @throws TidemarkError `COMMAND_INVALID` where a value is set for an object.
 */
export function mappingOf({ map, set }: Pick<ImportOptions, 'map' | 'set'>, preset: Mapping = PLAIN): Mapping {
  const objects = Object.keys(set).filter((target) => OBJECTS.includes(target));
  if (objects.length > 0)
    throw new TidemarkError('COMMAND_INVALID', `${objects.join(', ')}: an object cannot be set to a text.`);
  const own = rulesOf(map);
  const theirs = preset.rules.filter(({ to }) => to === null || !(own.some((rule) => rule.to === to) || to in set));
  return { rules: [...own, ...theirs], constants: { ...preset.constants, ...set }, rest: preset.rest };
}

/** Sources of one place are one rule, in their order. */
function rulesOf(map: ImportOptions['map']): Rule[] {
  const targets = new Map<string | null, string[]>();
  for (const [source, target] of Object.entries(map)) targets.set(target, [...(targets.get(target) ?? []), source]);
  return [...targets].map(([to, from]) => ({ to, from }));
}

/** Where a column goes that has this name; undefined where it is left out. */
export function targetOfColumn(name: string, { rules, rest }: Mapping): Target | undefined {
  const rule = rules.find(({ from }) => from.includes(name));
  if (rule !== undefined) return rule.to === null ? undefined : targetOf(rule.to);
  return targetOfRest(name, rest);
}

/** Where a member goes that no rule names; undefined where it is left out. */
export function targetOfRest(name: string, rest: Mapping['rest']): Target | undefined {
  if (rest === 'named') return targetOf(name);
  if (rest === 'nowhere') return undefined;
  return { path: rest === 'context' ? ['context', name] : [name], isFree: rest === 'free' };
}

/** Whether nothing of a member becomes a part of the call. */
export function isLeftOut(name: string, { rules, rest }: Mapping): boolean {
  const own = rules.filter(({ from }) => from.some((path) => path === name || path.startsWith(`${name}.`)));
  return own.length > 0 ? own.every(({ to }) => to === null) : rest === 'nowhere';
}

/** The members whose values are objects: they may be written as JSON in a text. */
export function objectSources({ rules }: Mapping): readonly string[] {
  const sources = rules.flatMap(({ to, from }) =>
    from.flatMap((path) =>
      path.includes('.') ? path.slice(0, path.indexOf('.')) : OBJECTS.includes(to ?? '') ? path : [],
    ),
  );
  return [...new Set([...OBJECTS, ...sources])];
}
