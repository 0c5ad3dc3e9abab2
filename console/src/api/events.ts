/** What the service answers about events, as far as the console uses it: catalogue, counts, rows. */
import type { Json, RawNumber } from './json.ts';
import type { UserEvent } from './types.ts';

/** An event, a property or a trait. */
export interface CatalogName {
  readonly name: string;
  readonly count: RawNumber;
  readonly first_seen: string;
  readonly last_seen: string;
}

export interface CatalogMember extends CatalogName {
  readonly types: readonly { readonly type: string; readonly count: RawNumber; readonly share: RawNumber }[];
  /** JSON texts, cut where they are long. */
  readonly examples: readonly string[];
}

/** `GET /v1/catalog/events` */
export interface CatalogEvents {
  readonly events: readonly CatalogName[];
  readonly exact: boolean;
  readonly truncated: boolean;
  readonly next_cursor: string | null;
}

/** `GET /v1/catalog/events/{name}/properties` */
export interface CatalogProperties {
  readonly event: CatalogName;
  readonly properties: readonly CatalogMember[];
  readonly next_cursor: string | null;
}

/** `GET /v1/catalog/traits` */
export interface CatalogTraits {
  readonly traits: readonly CatalogMember[];
}

export interface CountsBucket {
  /** Null where the period has no beginning. */
  readonly start: string | null;
  /** The same on the clock of the time zone. */
  readonly local: string | null;
}

export type Measured = readonly (RawNumber | null)[];

export interface CountsSeries {
  readonly value: Json;
  /** Of all values without a series of their own. */
  readonly other: boolean;
  readonly values: Measured;
  readonly previous?: Measured;
}

/** `POST /v1/events/counts` */
export interface Counts {
  readonly interval: string | null;
  readonly timezone: string;
  readonly from: string | null;
  readonly to: string;
  readonly buckets: readonly CountsBucket[];
  readonly series: readonly CountsSeries[];
  readonly previous: { readonly from: string; readonly to: string; readonly buckets: readonly CountsBucket[] } | null;
}

export interface ProjectEvent extends UserEvent {
  readonly user_id: string | null;
  readonly internal_id: string;
}

/** `POST /v1/events/query` */
export interface ProjectEventsPage {
  readonly events: readonly ProjectEvent[];
  readonly next_cursor: string | null;
}
