import type { Audience, Test } from './audience.ts';

/** What may stand beside `ignore_case`. */
export const OF_TEXT: readonly Test['test'][] = [
  'is',
  'is_not',
  'in',
  'contains',
  'starts_with',
  'ends_with',
  'matches',
];

export type TextTest = Extract<Test, { readonly ignoresCase?: true }>;

export function isOfText(test: Test): test is TextTest {
  return OF_TEXT.includes(test.test);
}

function comparesText(test: Test): boolean {
  if (!isOfText(test) || test.ignoresCase === true) return false;
  return [test.test === 'in' ? test.values : test.value].flat().some((value) => typeof value === 'string');
}

/** The same definition with upper and lower case the same in its own texts; undefined where that is so already. */
export function ignoringCase(definition: Audience): Audience | undefined {
  let isChanged = false;
  const folded = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(folded);
    if (typeof part !== 'object' || part === null || 'id' in part) return part;
    const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, folded(value)]));
    if (!('test' in copy) || !comparesText(copy as unknown as Test)) return copy;
    isChanged = true;
    return { ...copy, ignoresCase: true };
  };
  const result = folded(definition) as Audience;
  return isChanged ? result : undefined;
}
