/** Takes the ids of people out of what the service has written down as text. */
import type { Queryable } from '../database/database.ts';
import { POSTGRES_TABLES, type TextRule } from './places.ts';
import { WantedIds } from './wanted-ids.ts';

const ROWS_OF_A_LOOK = 200;
const FORGOTTEN = 'forgotten';

/** In a sentence, a shorter id may be a word of it. */
const LEAST_CHARS = 8;

/** Ids as they are looked for. */
export interface IdsInTexts {
  readonly all: ReadonlySet<string>;
  /** In what somebody sent. */
  readonly raw: WantedIds;
  /** In sentences. */
  readonly long: WantedIds;
}

export function idsInTexts(ids: readonly string[]): IdsInTexts {
  const long = ids.filter((id) => id.length >= LEAST_CHARS);
  return { all: new Set(ids), raw: new WantedIds(ids), long: new WantedIds(long) };
}

/**
 * Looks through the examples of requests that failed, answers that are kept to be sent again, results of jobs and the like: see
 * `POSTGRES_TABLES`. A text is read as whoever wrote it spells ids.
 */
export async function forgetInTexts(database: Queryable, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const wanted = idsInTexts(ids);
  for (const [table, { texts = {} }] of Object.entries(POSTGRES_TABLES))
    for (const [column, rule] of Object.entries(texts)) {
      // That of refused requests alone says whose it is: the others are few.
      const ofProject = table === 'refusals' ? projectId : null;
      await forgetInColumn(database, { table, column, rule, ofProject }, wanted);
    }
}

interface TextColumn {
  readonly table: string;
  readonly column: string;
  readonly rule: TextRule;
  readonly ofProject: string | null;
}

async function forgetInColumn(database: Queryable, at: TextColumn, ids: IdsInTexts): Promise<void> {
  const { table, column, rule, ofProject } = at;
  const whose = ofProject === null ? '$2::text is null' : 'project_id = $2';
  for (let after = '(0,0)'; ;) {
    const rows = await database.query<{ readonly at: string; readonly text: string }>(
      `select ctid::text as at, ${column} as text from ${table}
       where ctid > $1::tid and ${column} is not null and ${whose} order by ctid limit ${ROWS_OF_A_LOOK}`,
      [after, ofProject],
    );
    for (const { text } of rows) {
      const left = textWithout(text, rule, ids);
      if (left === text) continue;
      // The row may have moved since.
      if (rule === 'row')
        await database.query(`delete from ${table} where ${column} = $1 and ${whose}`, [text, ofProject]);
      else
        await database.query(`update ${table} set ${column} = $3::text where ${column} = $1 and ${whose}`, [
          text,
          ofProject,
          left,
        ]);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.at;
  }
}

/** The text itself, where none of the ids is in it. Pure. */
export function textWithout(text: string, rule: TextRule, ids: IdsInTexts): string | null {
  const document = documentIn(text);
  if (rule === 'body' || rule === 'answer') {
    // The beginning of a body may end anywhere, and one that is no JSON may be packed.
    const isUnreadable = rule === 'body' && !/^\s*[[{]/.test(text);
    return isUnreadable || ids.raw.isIn(text, document === undefined) ? null : text;
  }
  const kept = document === undefined ? withoutIds(text, ids) : JSON.stringify(withoutIds(document.value, ids));
  if (kept === (document === undefined ? text : JSON.stringify(document.value))) return text;
  return rule === 'document' ? (kept as string) : null;
}

function documentIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Members of documents that have what somebody sent. */
const RAW = new Set(['value', 'text', 'example']);

function withoutIds(value: unknown, ids: IdsInTexts, member?: string): unknown {
  if (typeof value === 'string') {
    const isRaw = member !== undefined && RAW.has(member);
    return ids.all.has(value) || (isRaw ? ids.raw.isIn(value, true) : ids.long.isIn(value)) ? FORGOTTEN : value;
  }
  if (Array.isArray(value)) return value.map((each) => withoutIds(each, ids, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withoutIds(each, ids, name)]),
  ) as unknown;
}
