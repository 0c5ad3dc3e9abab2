import type { LmdbStore } from './store.ts';
import { isGone, type ProcessIdentity } from '../process-identity.ts';

/** That a member holds the partitions of its group. */
export interface Lease {
  readonly member: string;
  readonly process: ProcessIdentity;
  readonly renewedAtMs: number;
  /** Without renewal for this long it is anybody's. */
  readonly leaseMs: number;
}

/** One who may hold a lease. */
export interface Claimant {
  readonly group: string;
  readonly member: string;
}

/** Whether `member` may take a group whose lease is this. Pure but for a look at the holder's process. */
export function isFree(lease: Lease | undefined, member: string, self: ProcessIdentity, nowMs: number): boolean {
  if (lease === undefined || lease.member === member) return true;
  const ageMs = nowMs - lease.renewedAtMs;
  // Renewed in the future: the clock was set back, and nobody can say how long ago it was.
  if (ageMs >= lease.leaseMs || ageMs <= -lease.leaseMs) return true;
  return isGone(lease.process, self);
}

export function leaseOf(store: LmdbStore, group: string): Lease | undefined {
  return store.note<Lease>(keyOf(group));
}

/** Takes or renews the lease if it is free; false where another holds it. Within a transaction. */
export function claim(store: LmdbStore, { group, member }: Claimant, self: ProcessIdentity, leaseMs: number): boolean {
  const nowMs = Date.now();
  if (!isFree(leaseOf(store, group), member, self, nowMs)) return false;
  const lease: Lease = { member, process: self, renewedAtMs: nowMs, leaseMs };
  store.putNote(keyOf(group), lease);
  return true;
}

/** Within a transaction. */
export function release(store: LmdbStore, { group, member }: Claimant): void {
  if (leaseOf(store, group)?.member === member) store.putNote(keyOf(group), undefined);
}

function keyOf(group: string): string {
  return `lease/${group}`;
}
