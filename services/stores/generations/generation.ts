/** What a generation is called, everywhere. Pure. */

/** The two readings of the log that are kept. */
export const GENERATION_KINDS = ['profiles', 'analytics'] as const;
export type GenerationKind = (typeof GENERATION_KINDS)[number];

/** Made with the installation; its tables are where they always were. */
export const FIRST_GENERATION = 1;

/** One reading of the log from its start, complete or under way. Plain data. */
export interface Generation {
  readonly kind: GenerationKind;
  readonly number: number;
  /** Whose messages alone it holds; null: everybody's. */
  readonly projectId: string | null;
  /** It is fed while `building` and `built`; `built` once it has answered. */
  readonly state: 'building' | 'built' | 'dropping' | 'dropped';
  /** Messages a second that a reader of it reads; null: no limit. */
  readonly rateLimit: number | null;
  /** By `topic/partition`: messages below that could not be processed are in the dead letters of an older generation. */
  readonly deadLettersFrom: ReadonlyMap<string, bigint>;
  readonly createdAtMs: number;
  /** When it first reached the end of the log, and what it had read by then. */
  readonly caughtUpAtMs: number | null;
  readonly messages: bigint | null;
}

/** The Postgres schema that holds a generation's tables: undefined for the first, which lies in that of the connection. */
export function schemaOf(kind: GenerationKind, number: number): string | undefined {
  return number === FIRST_GENERATION ? undefined : `${kind}_g${number}`;
}

/** Ends the name of the group as which a generation's readers share the log. */
export function groupSuffixOf(number: number): string {
  return number === FIRST_GENERATION ? '' : `-g${number}`;
}

/** A table of a generation, as SQL names it. */
export function tableOf(kind: GenerationKind, number: number, table: string): string {
  const schema = schemaOf(kind, number);
  return schema === undefined ? table : `${schema}.${table}`;
}
