/** What a form changes of a project. Everything here is pure. */
import type { AdminProject } from '../../api/types.ts';
import { type Json, jsonText, parseJson } from '../../api/json.ts';

/** The limits with what they are, in the order of the form. */
export const LIMITS = {
  rate_limit: 'Requests a second',
  rate_limit_bytes: 'Bytes of bodies a second',
  query_max_ms: 'Query time limit (ms)',
  query_max_memory_bytes: 'Query memory limit (bytes)',
  query_max_rows: 'Query limit (rows read)',
} as const;
export type Limit = keyof typeof LIMITS;

/** Lists of traits with what they are for. */
export const TRAIT_LISTS = {
  name_traits: 'Call users by the first of these traits',
  search_traits: 'Search users in these traits',
} as const;
export type TraitList = keyof typeof TRAIT_LISTS;

/** The fields of the form by their names; a limit without digits is no limit. */
export type Fields = Readonly<Record<'name' | 'timezone' | Limit | TraitList, string>>;

const NAMES = ['name', 'timezone', ...Object.keys(TRAIT_LISTS), ...Object.keys(LIMITS)] as (keyof Fields)[];

export function fieldsBy(textOf: (name: keyof Fields) => string): Fields {
  return Object.fromEntries(NAMES.map((name) => [name, textOf(name)])) as Fields;
}

export function fieldsOf(project: AdminProject): Fields {
  return fieldsBy((name) => {
    const value = project[name] ?? '';
    if (typeof value === 'string') return value;
    return 'rawJSON' in value ? value.rawJSON : value.join(', ');
  });
}

/** The body of the change, with only what is different; undefined where nothing is. */
export function changesOf(before: Fields, after: Fields): string | undefined {
  const changed = NAMES.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  return jsonText(Object.fromEntries(changed.map((name) => [name, valueOf(name, after[name])])));
}

function valueOf(name: keyof Fields, text: string): Json {
  if (Object.hasOwn(TRAIT_LISTS, name))
    return text
      .split(',')
      .map((trait) => trait.trim())
      .filter((trait) => trait !== '');
  if (!Object.hasOwn(LIMITS, name)) return text;
  if (text === '') return null;
  // What is no number goes out as it is: the service says what it takes.
  return /^(0|[1-9]\d*)$/.test(text) ? parseJson(text) : text;
}
