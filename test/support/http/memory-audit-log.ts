import type {
  AuditEntry,
  AuditFilter,
  AuditLog,
  RecordedEntry,
} from '../../../services/stores/service-state/audit-log.ts';
import { TidemarkError } from '../../../services/runtime/errors.ts';

/** The audit log in memory, which can be unreachable. Held to the same contract as the real one. */
export class MemoryAuditLog implements AuditLog {
  readonly entries: RecordedEntry[] = [];
  unreachable = false;

  async append(entry: AuditEntry): Promise<void> {
    this.#check();
    this.entries.push({ ...entry, id: BigInt(this.entries.length + 1) });
  }

  async list(
    { action, projectId, principal, since, until }: AuditFilter,
    limit: number,
    before?: bigint,
  ): Promise<readonly RecordedEntry[]> {
    this.#check();
    return this.entries
      .filter((entry) => before === undefined || entry.id < before)
      .filter((entry) => action === undefined || entry.action === action)
      .filter((entry) => projectId === undefined || entry.projectId === projectId)
      .filter((entry) => principal === undefined || [entry.principalId, entry.principalName].includes(principal))
      .filter(({ at }) => (since === undefined || at >= since) && (until === undefined || at < until))
      .toReversed()
      .slice(0, limit);
  }

  #check(): void {
    if (this.unreachable) throw new TidemarkError('STORE_UNAVAILABLE', 'unreachable, as ordered');
  }
}
