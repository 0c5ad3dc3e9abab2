/** The data of a generation and the names derived from it. Pure. */

import type { AsOf } from '../../messages/as-of.ts';

/** The two readings of the log that are kept. */
export const GENERATION_KINDS = ['profiles', 'analytics'] as const;
export type GenerationKind = (typeof GENERATION_KINDS)[number];

/** The generation that is created with the installation. Its tables are in the default schema and database. */
export const FIRST_GENERATION = 1;

/** One reading of the log from its start, complete or in progress. Plain data. */
export interface Generation {
  readonly kind: GenerationKind;
  readonly number: number;
  /** The project whose messages it contains; null for all projects. */
  readonly projectId: string | null;
  /** Its readers run while it is `building` and `built`. It is `built` once it has become live. */
  readonly state: 'building' | 'built' | 'dropping' | 'dropped';
  /** The maximum rate of each of its readers, in messages per second; null for no limit. */
  readonly rateLimit: number | null;
  /** Which messages it takes as of another instant than they were recorded with. */
  readonly asOf: readonly AsOf[];
  readonly createdAtMs: number;
  /** When it first reached the end of the log, and what it had read by then. */
  readonly caughtUpAtMs: number | null;
  readonly messages: bigint | null;
}

/**
 * The Postgres schema of a generation's tables; undefined for the first, which uses the connection's default schema.
 */
export function schemaOf(kind: GenerationKind, number: number): string | undefined {
  return number === FIRST_GENERATION ? undefined : `${kind}_g${number}`;
}

/** The suffix of the group name under which the readers of a generation share the log. */
export function groupSuffixOf(number: number): string {
  return number === FIRST_GENERATION ? '' : `-g${number}`;
}

/** The name of a generation's table in SQL. */
export function tableOf(kind: GenerationKind, number: number, table: string): string {
  const schema = schemaOf(kind, number);
  return schema === undefined ? table : `${schema}.${table}`;
}
