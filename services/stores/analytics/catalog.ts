/**
 * The questions of the catalog, and what the rows of their answers say. Pure.
 *
 * Those about events are answered from the projection `catalog_counts`, which holds a few rows for each name. It counts
 * every row that is stored, so a copy of a message counts until ClickHouse has merged it away. With `isExact` a question
 * reads all rows of the project, or of the event, by FINAL, and each message counts once.
 */
import type { Micros } from '../../messages/message.ts';
import { timesOfVersion } from '../../messages/version.ts';
import type { Query } from './analytics-store.ts';
import type { TraitKind } from './columns.ts';

/** A name, how often it was found, and the times of the first and last message with it. */
export interface CatalogName {
  readonly name: string;
  readonly count: number;
  readonly firstSeen: Micros;
  readonly lastSeen: Micros;
}

export type ValueType = 'number' | 'text' | 'boolean' | 'array' | 'object' | 'null';

/** A property of an event, or a trait. */
export interface CatalogMember extends CatalogName {
  /** How many of the values are of each type, the most frequent type first. */
  readonly types: readonly (readonly [type: ValueType, count: number])[];
  /** JSON texts of different values, cut at `MAX_EXAMPLE_CHARS`. */
  readonly examples: readonly string[];
}

export const MAX_EXAMPLES = 5;
export const MAX_EXAMPLE_CHARS = 200;

// Longer names are left out. Names of events are no longer than that.
const MAX_NAME_CHARS = 512;

// As in the projection, so that ClickHouse recognizes them.
const FIRST_SEEN = 'min(toUnixTimestamp64Micro(timestamp))';
const LAST_SEEN = 'max(toUnixTimestamp64Micro(timestamp))';

interface NameRow {
  readonly name: string;
  readonly times: string;
  readonly first: string;
  readonly last: string;
}

interface MemberRow extends NameRow {
  readonly types: readonly (readonly [type: string, times: string])[];
}

/** How many rows are stored, of which some may be copies. */
export function storedRowsQuery(table: 'track_rows' | 'trait_rows', projectId: string, event?: string): Query {
  const ofEvent = event === undefined ? '' : 'AND event = {event:String}';
  return {
    projectId,
    sql: `SELECT count() AS times FROM ${table} WHERE project_id = {projectId:String} ${ofEvent}`,
    params: { projectId, ...(event !== undefined && { event }) },
  };
}

export function storedRowsOf(rows: readonly unknown[]): number {
  return Number((rows as readonly { readonly times: string }[])[0]?.times ?? 0);
}

/** @param atMost How many names are answered: the most frequent. */
export function eventNamesQuery(projectId: string, atMost: number, isExact: boolean): Query {
  return {
    projectId,
    sql: `SELECT event AS name, count() AS times, ${FIRST_SEEN} AS first, ${LAST_SEEN} AS last
          FROM track_rows ${final(isExact)}
          WHERE project_id = {projectId:String}
          GROUP BY event
          ORDER BY times DESC, name
          LIMIT {atMost:UInt64}`,
    params: { projectId, atMost },
  };
}

export function eventNamesOf(rows: readonly unknown[]): readonly CatalogName[] {
  return (rows as readonly NameRow[]).map(nameOf);
}

/** The first row is the event itself. There are no rows where the project has no such event. */
export function propertiesQuery(projectId: string, event: string, atMost: number, isExact: boolean): Query {
  // 'e' stands for the event beside its properties.
  return {
    projectId,
    sql: `SELECT is_event, name, sum(of_type) AS times, groupArray((type, of_type)) AS types, min(first_of_type) AS first,
                 max(last_of_type) AS last
          FROM
          (
              SELECT kind = 'e' AS is_event, substring(kind, 2) AS name, substring(kind, 1, 1) AS type,
                     sum(of_list) AS of_type, min(first_of_list) AS first_of_type, max(last_of_list) AS last_of_type
              FROM
              (
                  SELECT property_kinds, count() AS of_list, ${FIRST_SEEN} AS first_of_list, ${LAST_SEEN} AS last_of_list
                  FROM track_rows ${final(isExact)}
                  WHERE project_id = {projectId:String} AND event = {event:String}
                  GROUP BY property_kinds
              )
              ARRAY JOIN arrayPushFront(if(property_kinds = '', [], splitByChar('\\0', toString(property_kinds))), 'e') AS kind
              GROUP BY kind
          )
          WHERE lengthUTF8(name) <= ${MAX_NAME_CHARS}
          GROUP BY is_event, name
          ORDER BY is_event DESC, times DESC, name
          LIMIT {atMost:UInt64}`,
    params: { projectId, event, atMost: atMost + 1 },
  };
}

/** The event and its properties, or undefined where there is no such event. */
export function propertiesOf(
  event: string,
  rows: readonly unknown[],
): { readonly event: CatalogName; readonly properties: readonly CatalogMember[] } | undefined {
  const [itself, ...properties] = rows as readonly MemberRow[];
  if (itself === undefined) return undefined;
  return {
    event: { ...nameOf(itself), name: event },
    properties: properties.map((row) => ({ ...nameOf(row), types: typesOf(row, PROPERTY_TYPES), examples: [] })),
  };
}

/** Properties of events of the day on which the event was seen last. */
export function exampleTextsQuery(projectId: string, { name, lastSeen }: CatalogName, atMost: number): Query {
  return {
    projectId,
    sql: `SELECT properties_text
          FROM track_rows
          WHERE project_id = {projectId:String} AND event = {event:String}
            AND day = toDate32(fromUnixTimestamp64Micro({lastSeen:Int64}, 'UTC'))
          LIMIT {atMost:UInt64}`,
    params: { projectId, event: name, lastSeen: String(lastSeen), atMost },
  };
}

/** @param atMost How many names are answered: the most frequent. */
export function traitsQuery(projectId: string, atMost: number, isExact: boolean): Query {
  return {
    projectId,
    sql: `SELECT trait AS name, sum(of_kind) AS times, groupArray((toString(kind), of_kind)) AS types, min(first_of_kind) AS first,
                 max(last_of_kind) AS last, groupArrayArray(examples_of_kind) AS examples
          FROM
          (
              SELECT trait, kind, count() AS of_kind, min(version) AS first_of_kind, max(version) AS last_of_kind,
                     groupUniqArray(${MAX_EXAMPLES})(substringUTF8(value, 1, ${MAX_EXAMPLE_CHARS})) AS examples_of_kind
              FROM trait_rows ${final(isExact)}
              WHERE project_id = {projectId:String} AND kind != 'deleted'
              GROUP BY trait, kind
          )
          WHERE lengthUTF8(trait) <= ${MAX_NAME_CHARS}
          GROUP BY trait
          ORDER BY times DESC, name
          LIMIT {atMost:UInt64}`,
    params: { projectId, atMost },
  };
}

export function traitsOf(rows: readonly unknown[]): readonly CatalogMember[] {
  return (rows as readonly (MemberRow & { readonly examples: readonly string[] })[]).map((row) => ({
    name: row.name,
    count: Number(row.times),
    firstSeen: timesOfVersion(BigInt(row.first)).timestamp,
    lastSeen: timesOfVersion(BigInt(row.last)).timestamp,
    types: typesOf(row, TRAIT_TYPES),
    examples: row.examples.toSorted().slice(0, MAX_EXAMPLES),
  }));
}

const PROPERTY_TYPES: Readonly<Record<string, ValueType>> = {
  s: 'text',
  d: 'number',
  t: 'boolean',
  '[': 'array',
  '{': 'object',
  n: 'null',
};

const TRAIT_TYPES: Readonly<Record<Exclude<TraitKind, 'deleted'>, ValueType>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  array: 'array',
  object: 'object',
};

function final(isExact: boolean): string {
  return isExact ? 'FINAL' : '';
}

function nameOf({ name, times, first, last }: NameRow): CatalogName {
  return { name, count: Number(times), firstSeen: BigInt(first), lastSeen: BigInt(last) };
}

function typesOf({ types }: MemberRow, names: Readonly<Record<string, ValueType>>): CatalogMember['types'] {
  return types
    .map(([type, times]) => [names[type] ?? 'null', Number(times)] as const)
    .sort(([type, times], [otherType, otherTimes]) => otherTimes - times || (type < otherType ? -1 : 1));
}
