/** What the service answers to operators about projects, keys, the audit log and itself, as far as the console uses it. */
import type { Json, RawNumber } from './json.ts';

/** Of `GET /v1/admin/projects`; a limit is null where there is none. */
export interface AdminProject {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
  readonly rate_limit: RawNumber | null;
  readonly query_max_ms: RawNumber | null;
  readonly query_max_memory_bytes: RawNumber | null;
  readonly query_max_rows: RawNumber | null;
  readonly created_at: string;
}

/** Of `DELETE /v1/admin/projects/{id}?dry_run=true`. */
export interface ProjectContent {
  readonly content: Readonly<Record<'users' | 'audiences' | 'keys', RawNumber>>;
}

export interface ProjectsPage {
  readonly projects: readonly AdminProject[];
  readonly next_cursor: string | null;
}

/** Of `GET /v1/admin/keys` and of the keys of a project. */
export interface AdminKey {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly name: string | null;
  readonly created_at: string;
  readonly last_used_day: string | null;
  readonly revoked_at: string | null;
}

export interface KeysPage {
  readonly keys: readonly AdminKey[];
  readonly next_cursor: string | null;
}

/** The answer that makes a key: the only one that has it. */
export interface CreatedKey extends AdminKey {
  readonly key: string;
}

/** Of `GET /v1/admin/audit` */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  readonly principal: { readonly id: string; readonly name: string | null };
  readonly source: string | null;
  readonly action: string;
  readonly project: string | null;
  readonly object: string;
  readonly request_id: string | null;
  readonly before: Json;
  readonly after: Json;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next_cursor: string | null;
}

/** `GET /v1/admin/status` */
export interface InstallationStatus {
  readonly version: string;
  readonly role: string;
  readonly uptime_seconds: RawNumber;
  /** Null where they cannot be read now. */
  readonly processes: readonly ProcessStatus[] | null;
  readonly disk: {
    readonly folder: string;
    readonly total_bytes: RawNumber;
    readonly free_bytes: RawNumber;
    readonly used_bytes: RawNumber;
  } | null;
  readonly stored_bytes: Readonly<Record<'log' | 'profiles' | 'analytics', RawNumber | null>>;
}

export interface ProcessStatus {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  readonly state: string;
  readonly started_at: string;
  readonly parts: Readonly<Record<string, string>>;
}
