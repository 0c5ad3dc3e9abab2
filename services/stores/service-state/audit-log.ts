import type { Micros } from '../../messages/message.ts';

/** One change, and who made it. Nothing in it is a secret. */
export interface AuditEntry {
  readonly at: Micros;
  /** The id of the key; `local` for a request on the Unix socket without one. */
  readonly principalId: string;
  /** The name of the key, or the user that the command line says; null if unknown. */
  readonly principalName: string | null;
  /** The address that the request came from; null on the Unix socket. */
  readonly source: string | null;
  /** What was done, to what kind of object: `audience.change`. */
  readonly action: string;
  /** Null for what belongs to no project. */
  readonly projectId: string | null;
  /** The id of what was changed. */
  readonly object: string | null;
  /** JSON text; null where there was nothing before, or is nothing after. */
  readonly before: string | null;
  readonly after: string | null;
  readonly requestId: string;
}

export interface RecordedEntry extends AuditEntry {
  /** Rises with time. */
  readonly id: bigint;
}

/** What entries must have; what is left out may be anything. */
export interface AuditFilter {
  readonly action?: string;
  readonly projectId?: string;
  /** A key's id or name. */
  readonly principal?: string;
  /** From this instant on. */
  readonly since?: Micros;
  /** Before this instant. */
  readonly until?: Micros;
}

/**
 * The changes that were made by requests: only added, never changed. Arguments and results can be cloned between threads.
 * Methods throw `STORE_UNAVAILABLE` if the store cannot answer.
 */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. @param before The id of the last entry that the caller has. */
  list(filter: AuditFilter, limit: number, before?: bigint): Promise<readonly RecordedEntry[]>;
}
