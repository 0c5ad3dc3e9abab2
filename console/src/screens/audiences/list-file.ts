/** A list of users that somebody uploads: its lines, and the definition that they become. Pure. */
import { isList, isObject, type Json } from '../../api/json.ts';

/** As many as a definition may have (questions/definition/limits.ts). */
export const MOST_LINES = 10_000;
/** Values of one `in`. */
const MOST_VALUES = 1_000;

export interface ListFile {
  /** What a column is called, with its values: each once, and none that is empty. */
  readonly columns: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Without the header and what is empty. */
  readonly lines: number;
}

const ID_HEADS = /^(?:user|customer|person|contact|member|client)?[ _-]*(?:id|uid|e-?mail(?:[ _-]*address)?)$/i;

/** Text with a line for each user; of a table with several columns the likeliest is the first. */
export function readList(text: string): ListFile {
  const rows = rowsOf(text.replace(/^\uFEFF/, '')).filter((row) => row.some((cell) => cell !== ''));
  const [first = []] = rows;
  const likely = first.findIndex((cell) => ID_HEADS.test(cell));
  const lines = likely === -1 ? rows : rows.slice(1);
  const columns = first.map((cell, index) => ({
    name: likely === -1 ? `Column ${index + 1}` : cell,
    values: [...new Set(lines.map((row) => row[index] ?? ''))].filter((value) => value !== ''),
  }));
  const likelier = columns.filter((_, index) => index === likely);
  return { columns: [...likelier, ...columns.filter((_, index) => index !== likely)], lines: lines.length };
}

/** RFC 4180, with whichever delimiter the first line has; ids may have a bar in them. Blanks around a cell are none of it. */
function rowsOf(text: string): string[][] {
  const [line = ''] = text.split('\n', 1);
  const delimiter = ['\t', ';'].find((one) => line.includes(one)) ?? ',';
  const rows: string[][] = [[]];
  const cell = /[^\S\r\n\t]*(?:"([^"]*(?:""[^"]*)*)"|([^\r\n]*?))[^\S\r\n\t]*(DELIMITER|\r?\n|$)/.source;
  for (const [all, quoted, plain = '', end] of text.matchAll(new RegExp(cell.replace('DELIMITER', delimiter), 'g'))) {
    if (all === '' && rows.at(-1)?.length === 0) break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    if (end === '') break;
    if (end !== delimiter) rows.push([]);
  }
  return rows;
}

/** Users by their ids, or by a trait, as their email. */
export interface UserList {
  readonly trait: string | undefined;
  readonly values: readonly string[];
}

export function listDefinition({ trait, values }: UserList) {
  if (trait === undefined) return { users: values };
  const parts = Array.from({ length: Math.ceil(values.length / MOST_VALUES) }, (_, i) => ({
    trait,
    in: values.slice(i * MOST_VALUES, (i + 1) * MOST_VALUES),
    ignore_case: true as const,
  }));
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 ? only : { any: parts };
}

/** The list that an audience is; undefined where it is no list. */
export function listIn(definition: Json): UserList | undefined {
  if (!isObject(definition)) return undefined;
  const { users, any, trait, in: values, ignore_case: ignoresCase } = definition;
  if (isList(users)) return { trait: undefined, values: users.filter(isText) };
  if (typeof trait === 'string' && isList(values) && ignoresCase === true)
    return { trait, values: values.filter(isText) };
  const parts = isList(any) ? any.map(listIn) : [];
  const [first] = parts;
  const isOne = parts.every((part) => part?.trait !== undefined && part.trait === first?.trait);
  return first && isOne ? { ...first, values: parts.flatMap((part) => part?.values ?? []) } : undefined;
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}
