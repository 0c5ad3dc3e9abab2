/** Which of its traits a profile keeps, written once for the fold and once for SQL. */
import { MAX_TRAITS } from '../../messages/message.ts';

interface Versioned {
  readonly version: string;
}

/** How many traits, the oldest, a profile dropped because it received more than it keeps. */
export interface DroppedTraits {
  readonly projectId: string;
  readonly userKey: string;
  readonly traits: number;
}

/**
 * The newest `most` of these traits, deleted ones included: by version and, of one version, by name, the lower bytes
 * first. Those are the same in whatever order and batches messages come, since each trait's version only rises: a
 * dropped trait stays below the kept ones until a message sets it again.
 */
export function newestTraits<T extends Versioned>(
  traits: ReadonlyMap<string, T>,
  most = MAX_TRAITS,
): ReadonlyMap<string, T> {
  return traits.size <= most ? traits : new Map([...traits].sort(byNewest).slice(0, most));
}

function byNewest([a, x]: readonly [string, Versioned], [b, y]: readonly [string, Versioned]): number {
  if (x.version !== y.version) return x.version > y.version ? -1 : 1;
  return compareBytes(a, b);
}

/** As the collation "C" of a database in UTF-8: JavaScript's `<` puts surrogate pairs before U+E000 to U+FFFF. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return codePointOrder(x) - codePointOrder(y);
  }
  return a.length - b.length;
}

function codePointOrder(codeUnit: number): number {
  if (codeUnit >= 0xe000) return codeUnit - 0x800;
  return codeUnit >= 0xd800 ? codeUnit + 0x2000 : codeUnit;
}

/**
 * One row of `versions` and `traits` as a profile of these keeps them.
 *
 * @param of Whose `versions` and `traits` they are, such as a table's alias.
 * @param most An expression.
 */
export function newestTraitsSql(of: string, most: string): string {
  return `
    select kept.versions,
           coalesce((select jsonb_object_agg(name, value) from jsonb_each(${of}.traits) as one (name, value)
                     where kept.versions ? name), '{}') as traits
    from (
      select jsonb_object_agg(trait, version) as versions
      from (
        select trait, version from jsonb_each_text(${of}.versions) as one (trait, version)
        order by version collate "C" desc, trait collate "C"
        limit ${most}
      ) as newest
    ) as kept`;
}
