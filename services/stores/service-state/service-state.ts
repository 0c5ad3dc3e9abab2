import type { Database } from '../database/database.ts';
import { SqlConsoleSessionStore } from './console-session-store.ts';
import { SqlAuditLog } from './sql-audit-log.ts';
import { SqlPinsAndNotes } from './sql-pins-and-notes.ts';
import { SqlRefusalStore } from './sql-refusal-store.ts';
import { SqlRepeatStore } from './repeat-store.ts';

/** The small tables of the service, as HTTP calls them. */
export type ServiceState = ReturnType<typeof serviceStateOn>;

export function serviceStateOn(database: Database) {
  return {
    audit: new SqlAuditLog(database),
    refusals: new SqlRefusalStore(database),
    repeats: new SqlRepeatStore(database),
    pinsAndNotes: new SqlPinsAndNotes(database),
    consoleSessions: new SqlConsoleSessionStore(database),
  };
}
