/** What of a record a problem is about. Pure. */
import { pointerTo } from '../../../messages/unacceptable.ts';
import type { Column } from '../csv-columns.ts';
import { type Mapping, type Target, targetOf } from './mapping.ts';

/** Which columns, or members of a record, fill the places of a call. */
export class Sources {
  readonly #names = new Map<string, string>();

  constructor({ rules }: Mapping, columns: readonly Column[] = []) {
    for (const { name, target } of columns) if (target !== undefined) this.#note(target, name);
    for (const { to, from } of rules) if (to !== null) this.#note(targetOf(to), from.join(', '));
  }

  #note({ path, isFree }: Target, name: string): void {
    const paths = isFree ? [pointerTo(['traits', ...path]), pointerTo(['properties', ...path])] : [pointerTo(path)];
    for (const pointer of paths) this.#names.set(pointer, this.#names.get(pointer) ?? name);
  }

  /** What fills the place at the pointer, or what it is within; undefined where that is not known. */
  of(pointer: string): string | undefined {
    for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const name = this.#names.get(at);
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

/** What stands at a pointer, as text; null where nothing does. */
export function valueAt(call: unknown, pointer: string): string | null {
  let value = call;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
