/** Projects and keys as the database has them. */
import type { ApiKey, Project, Scope } from './project-store.ts';

export const PROJECT_COLUMNS =
  'id, name, timezone, rate_limit, session_secret, created_at_ms, query_max_ms, query_max_memory_bytes, query_max_rows, rate_limit_bytes, search_traits, name_traits, join_ids, keep_events_months, events_gone_us';
export const KEY_COLUMNS =
  'id, project_id, scopes, name, last_used_day::text as last_used_day, sha256, created_at_ms, revoked_at_ms';

// Types, not interfaces: a query's row must be assignable to the port's `Record<string, unknown>`.
export type ProjectRow = {
  id: string;
  name: string;
  timezone: string;
  rate_limit: number | null;
  session_secret: Uint8Array;
  created_at_ms: bigint;
  query_max_ms: bigint | null;
  query_max_memory_bytes: bigint | null;
  query_max_rows: bigint | null;
  rate_limit_bytes: bigint | null;
  search_traits: string[];
  name_traits: string[];
  join_ids: boolean;
  keep_events_months: number | null;
  events_gone_us: bigint | null;
};

export type KeyRow = {
  id: string;
  project_id: string | null;
  scopes: Scope[];
  name: string | null;
  last_used_day: string | null;
  sha256: string;
  created_at_ms: bigint;
  revoked_at_ms: bigint | null;
};

export function toProject(row: ProjectRow): Project {
  return {
    id: row.id,
    name: row.name,
    timezone: row.timezone,
    rateLimit: row.rate_limit,
    rateLimitBytes: limitOf(row.rate_limit_bytes),
    queryMaxMs: limitOf(row.query_max_ms),
    queryMaxMemoryBytes: limitOf(row.query_max_memory_bytes),
    queryMaxRows: limitOf(row.query_max_rows),
    searchTraits: row.search_traits,
    nameTraits: row.name_traits,
    joinIds: row.join_ids,
    keepEventsMonths: row.keep_events_months,
    eventsFrom: row.events_gone_us,
    // Copied to a Uint8Array with its own memory: a driver may return a Buffer that shares a larger one.
    sessionSecret: Uint8Array.from(row.session_secret),
    createdAtMs: Number(row.created_at_ms),
  };
}

function limitOf(limit: bigint | null): number | null {
  return limit === null ? null : Number(limit);
}

export function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    projectId: row.project_id,
    scopes: row.scopes,
    name: row.name,
    lastUsedDay: row.last_used_day,
    sha256: row.sha256,
    createdAtMs: Number(row.created_at_ms),
    revokedAtMs: row.revoked_at_ms === null ? null : Number(row.revoked_at_ms),
  };
}
