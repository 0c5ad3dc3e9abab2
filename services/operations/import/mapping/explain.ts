/** What of a record a problem is about. Pure. */
import { pointerTo } from '../../../messages/unacceptable.ts';
import type { Column } from '../csv-columns.ts';
import { type Mapping, type Target, targetOf } from './mapping.ts';

/** The column, or the members of a record, that fill this place of a call; undefined where that is not known. */
export function sourceOf(pointer: string, mapping: Mapping, columns: readonly Column[] = []): string | undefined {
  if (pointer === '') return undefined;
  const column = columns.find(({ target }) => target !== undefined && isAt(target, pointer));
  const rule = mapping.rules.find(({ to }) => to !== null && isAt(targetOf(to), pointer));
  return column?.name ?? rule?.from.join(', ');
}

/** Whether the pointer leads to the place, or into it. */
function isAt({ path, isFree }: Target, pointer: string): boolean {
  const pointers = isFree ? [pointerTo(['traits', ...path]), pointerTo(['properties', ...path])] : [pointerTo(path)];
  return pointers.some((target) => pointer === target || pointer.startsWith(`${target}/`));
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
