/**
 * Projects, keys and their settings. A replay does not change them, and they need a backup: the log has projects only, without
 * keys and secrets.
 */

import type { Micros } from '../../messages/message.ts';
import { inCamelCase } from '../database/database.ts';

/**
 * What a key opens. `write`: recording. `read`: reading a project. `audiences`: what `read` opens, and saving, changing,
 * deleting and evaluating audiences. `admin`: operating the installation, and in every project what `audiences` opens.
 */
export const SCOPES = ['write', 'read', 'audiences', 'admin', 'flags'] as const;
export type Scope = (typeof SCOPES)[number];

export interface Project {
  /** `proj_` and 20 lower-case letters and digits. */
  readonly id: string;
  readonly name: string;
  /** An IANA time zone, for timestamps without an offset. */
  readonly timezone: string;
  /** Requests per second and ingest process; null for no limit. */
  readonly rateLimit: number | null;
  /** Bytes of bodies, as they are after decompression, per second and ingest process; null for no limit. */
  readonly rateLimitBytes: number | null;
  /** Limits of each query instead of the service's defaults; null for the defaults. */
  readonly queryMaxMs: number | null;
  readonly queryMaxMemoryBytes: number | null;
  readonly queryMaxRows: number | null;
  /** The traits in which the search for users looks, beside the user id. */
  readonly searchTraits: readonly string[];
  /** The traits that a user is called by: the first that is a text. */
  readonly nameTraits: readonly string[];
  /** Whether an anonymous id that was seen with one user alone counts as that user. */
  readonly joinIds: boolean;
  /** For how many months events are kept, by their own time; null for ever. */
  readonly keepEventsMonths: number | null;
  /** The instant before which its events are gone, by their own time; null where none are. */
  readonly eventsFrom: Micros | null;
  /** 32 bytes that sign this project's sessions. */
  readonly sessionSecret: Uint8Array;
  readonly createdAtMs: number;
}

/** Those of a `Project`. */
export const PROJECT_COLUMNS = `${inCamelCase(
  `id, name, timezone, rate_limit, session_secret, created_at_ms::float8, query_max_ms::float8,
  query_max_memory_bytes::float8, query_max_rows::float8, rate_limit_bytes::float8, search_traits, name_traits, join_ids,
  keep_events_months`,
)}, events_gone_us as "eventsFrom"`;

/** With a secret that has its own memory: a driver may return a Buffer that shares a larger one. */
export function toProject(row: Project): Project {
  return { ...row, sessionSecret: Uint8Array.from(row.sessionSecret) };
}

export interface ApiKey {
  /** Names the key in lists and for revoking: `key_` and 20 lower-case letters and digits. Not the key itself. */
  readonly id: string;
  /** Null exactly for an admin key, which belongs to the installation. */
  readonly projectId: string | null;
  /** One at least, in the order of `SCOPES`. `admin` stands alone. */
  readonly scopes: readonly Scope[];
  /** What its owner calls it. */
  readonly name: string | null;
  /** `YYYY-MM-DD` in UTC: the last day on which a request had the key, a few seconds late. */
  readonly lastUsedDay: string | null;
  /** SHA-256 of the key in hex: the key itself is shown once and stored nowhere. */
  readonly sha256: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Those of an `ApiKey`. */
export const KEY_COLUMNS = inCamelCase(
  'id, project_id, scopes, name, last_used_day::text, sha256, created_at_ms::float8, revoked_at_ms::float8',
);

export interface NewProject {
  readonly name: string;
  readonly timezone: string;
  readonly rateLimit: number | null;
  readonly joinIds?: boolean;
  readonly keepEventsMonths?: number | null;
}

/** What the configuration says of new projects. */
export type NewProjectDefaults = Pick<Project, 'timezone' | 'joinIds' | 'keepEventsMonths'>;

/** A project that was lost, with what the log has of it. */
export type LostProject = Omit<Project, 'sessionSecret' | 'eventsFrom' | keyof Choices>;

/** The members of a project that can be changed. */
export type ProjectChanges = Partial<NewProject & ProjectLimits & Choices>;

/** What is chosen of how users are shown, and of what is kept. The log has none of it. */
type Choices = Pick<Project, 'searchTraits' | 'nameTraits' | 'joinIds' | 'keepEventsMonths'>;

export type ProjectLimits = Pick<Project, 'rateLimitBytes' | 'queryMaxMs' | 'queryMaxMemoryBytes' | 'queryMaxRows'>;

export const NO_LIMITS = {
  rateLimitBytes: null,
  queryMaxMs: null,
  queryMaxMemoryBytes: null,
  queryMaxRows: null,
} as const satisfies ProjectLimits;

/** What a project has where nothing else is said. One that was lost may have messages from before ids could be joined. */
export const DEFAULT_SETTINGS = {
  ...NO_LIMITS,
  searchTraits: ['name', 'email'],
  nameTraits: ['name', 'email'],
  joinIds: false,
  keepEventsMonths: null,
} as const satisfies ProjectLimits & Choices;

export interface NewKey {
  readonly scopes: readonly Scope[];
  readonly name?: string | null;
  readonly sha256: string;
}

export interface FirstKey extends NewKey {
  /** Whether only the process that created it knows its text so far. */
  readonly awaitsShowing: boolean;
}

/** The state that an ingest process keeps in memory: every project, and every key that is not revoked. */
export interface ProjectsSnapshot {
  readonly projects: readonly Project[];
  readonly keys: readonly ApiKey[];
}

/** What a valid key is. */
export interface AuthenticatedKey {
  /** `key_…`, never the key itself. */
  readonly id: string;
  readonly name: string | null;
  /** Null exactly for a key of the installation. */
  readonly project: Project | null;
  readonly scopes: readonly Scope[];
}

/** Checks whether keys are valid now. */
export interface KeyRing {
  /**
   * Returns what the key is; undefined if it is unknown or revoked. If the answer is in memory it is
   * returned without a promise, so that a request with a known key waits for nothing.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` (thrown or as a rejection) if the key is not known and cannot be checked
   *   now.
   */
  find(key: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> | undefined;
  /**
   * Returns the project of this id, or the only one of this name; undefined if it does not exist. Without a promise, and
   * throws, as `find`.
   */
  findProject(idOrName: string): Project | Promise<Project | undefined> | undefined;
}
