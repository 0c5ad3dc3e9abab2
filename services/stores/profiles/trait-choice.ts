/** The parameter `traits`: which of a user's traits stand beside their ids. */
import type { TraitPath, TraitValues } from './profile.ts';

export interface TraitChoice {
  /** As they were spelled: names of the members, and heads of the columns. Null: all traits, as one object. */
  readonly names: readonly string[] | null;
  readonly paths: readonly TraitPath[];
}

export const NO_TRAITS: TraitChoice = { names: [], paths: [] };
const ALL_TRAITS: TraitChoice = { names: null, paths: [[]] };
const MAX_PATHS = 50;

type ReadTraits = { readonly ok: true; readonly value: TraitChoice } | { readonly ok: false; readonly message: string };

/**
 * Names with commas between them; a dot leads into an object. A backslash takes the meaning from a comma, a dot, an
 * asterisk or a backslash. `*`: all of them.
 */
export function readTraitChoice(text: string | undefined): ReadTraits {
  if (text === undefined) return { ok: true, value: NO_TRAITS };
  if (text === '*') return { ok: true, value: ALL_TRAITS };
  const names = split(text, ',');
  const paths = names.map((name) => split(name, '.').map(unescaped));
  if (names.length > MAX_PATHS) return { ok: false, message: `names more than ${MAX_PATHS}` };
  if (new Set(names).size < names.length) return { ok: false, message: 'names one twice' };
  if (paths.some((path) => path.includes(''))) return { ok: false, message: 'has an empty name' };
  return { ok: true, value: { names, paths } };
}

/** At each of these characters that no backslash stands before. */
function split(text: string, separator: ',' | '.'): string[] {
  const parts = [''];
  for (const [token] of text.matchAll(/\\[,.*\\]|[\s\S]/g)) {
    if (token === separator) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([,.*\\])/g, '$1');
}

/** The JSON text of a user with their traits as its last member. */
export function withTraits(user: string, traits: TraitChoice, values: TraitValues): string {
  return `${user.slice(0, -1)},"traits":${chosenTraitsText(traits, values)}}`;
}

/** The JSON text of the traits alone. */
export function chosenTraitsText({ names }: TraitChoice, values: TraitValues): string {
  if (names === null) return values[0] ?? '{}';
  return `{${names.map((name, index) => `${JSON.stringify(name)}:${values[index] ?? 'null'}`).join(',')}}`;
}

/** The heads of the columns of CSV: one for all traits, since nobody knows their names before the last user. */
export function traitColumns({ names }: TraitChoice): readonly string[] {
  return names ?? ['traits'];
}

/** What a cell of CSV has of a value: a text as it is, of anything else the JSON text, of null nothing. */
export function traitCell(value: string | null): string | null {
  if (value?.startsWith('"') === true) return JSON.parse(value) as string;
  return value === 'null' ? null : value;
}
