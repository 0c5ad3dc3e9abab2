import type { Project, Scope } from './project-store.ts';

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
