/** Projects, keys and their settings: not in the log, never touched by replay, to be backed up. */

export type Scope = 'write' | 'read';

export interface Project {
  /** `proj_` and 20 lower-case letters and digits. */
  readonly id: string;
  readonly name: string;
  /** An IANA time zone, for timestamps without an offset. */
  readonly timezone: string;
  /** Requests a second per ingest process; null is no limit. */
  readonly rateLimit: number | null;
  /** Limits of each question, in place of those that the service has for all; null is those. */
  readonly queryMaxMs: number | null;
  readonly queryMaxMemoryBytes: number | null;
  readonly queryMaxRows: number | null;
  /** 32 bytes that sign this project's sessions. */
  readonly sessionSecret: Uint8Array;
  readonly createdAtMs: number;
}

export interface ApiKey {
  /** Names the key in lists and for revoking: `key_` and 20 lower-case letters and digits. Not the key itself. */
  readonly id: string;
  readonly projectId: string;
  readonly scope: Scope;
  /** SHA-256 of the key in hex: the key itself is shown once and stored nowhere. */
  readonly sha256: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

export interface NewProject {
  readonly name: string;
  readonly timezone: string;
  readonly rateLimit: number | null;
}

/** What can be changed of a project. */
export type ProjectChanges = Partial<NewProject & ProjectLimits>;

export type ProjectLimits = Pick<Project, 'queryMaxMs' | 'queryMaxMemoryBytes' | 'queryMaxRows'>;

export const NO_LIMITS: ProjectLimits = { queryMaxMs: null, queryMaxMemoryBytes: null, queryMaxRows: null };

export interface NewKey {
  readonly scope: Scope;
  readonly sha256: string;
}

export interface FirstKey extends NewKey {
  /** Whether nobody knows its text yet but the process that made it. */
  readonly awaitsShowing: boolean;
}

/** What an ingest process keeps in memory: every project and every key that is not revoked. */
export interface ProjectsSnapshot {
  readonly projects: readonly Project[];
  readonly keys: readonly ApiKey[];
}

/** Arguments and results can be cloned between threads. Every method throws `STORE_UNAVAILABLE` where the store is away. */
export interface ProjectStore {
  snapshot(): Promise<ProjectsSnapshot>;
  createProject(project: NewProject): Promise<Project>;
  /**
   * The project with its keys, all or nothing, where the store has no project yet; undefined, and nothing written,
   * where it has one. Of several who ask at once, in whatever process, one gets it.
   */
  createFirstProject(project: NewProject, keys: readonly FirstKey[]): Promise<Project | undefined>;
  /** The keys of a first project that await showing, but for revoked ones. */
  keysAwaitingShowing(): Promise<readonly ApiKey[]>;
  /**
   * Revokes these keys and adds, to the project of each, the one of its scope among `keys`, all or nothing. Returns the
   * project; undefined, and nothing written, where one of them awaits showing no more. Of several who ask at once one gets it.
   */
  replaceAwaitingKeys(ids: readonly string[], keys: readonly FirstKey[]): Promise<Project | undefined>;
  /** Whether all of these keys, named by their hashes, can be used. They await showing no more. */
  noteShown(sha256s: readonly string[]): Promise<boolean>;
  /** @throws TidemarkError `PROJECT_UNKNOWN`. */
  updateProject(id: string, changes: ProjectChanges): Promise<Project>;
  listProjects(): Promise<readonly Project[]>;
  /** Adds a key whose text the caller made. @throws TidemarkError `PROJECT_UNKNOWN`. */
  addKey(projectId: string, scope: Scope, sha256: string): Promise<ApiKey>;
  /** Of one project or of all, revoked ones too. */
  listKeys(projectId?: string): Promise<readonly ApiKey[]>;
  /** Idempotent. @throws TidemarkError `KEY_UNKNOWN`. */
  revokeKey(keyId: string): Promise<ApiKey>;
}

/** What a valid key opens. */
export interface AuthenticatedKey {
  readonly project: Project;
  readonly scope: Scope;
}

/** Tells keys that are valid now from all others. */
export interface KeyRing {
  /**
   * What the key opens; undefined where it is unknown or revoked. Answers at once, without a promise, where it can tell
   * from memory, so that a request with a known key waits for nothing.
   *
   * @throws TidemarkError `STORE_UNAVAILABLE` (thrown or as a rejection) where the key is not known and cannot be
   *   checked now.
   */
  find(key: string): AuthenticatedKey | Promise<AuthenticatedKey | undefined> | undefined;
}
