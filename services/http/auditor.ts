/** Records the changes that requests made: in the audit log, and one line each in the service's log. */
import { Counter, type Registry } from 'prom-client';
import type { Logger } from '../runtime/logger.ts';
import type { AuditEntry, SqlAuditLog } from '../stores/service-state/sql-audit-log.ts';
import type { Call } from './call.ts';
import type { Change } from './route.ts';

// Twice the longest definition of an audience.
const MAX_JSON_LENGTH = 65_536;

/** The user that the command line says on the Unix socket, where the operating system has checked who may open it. */
const USER_HEADER = 'tidemark-user';
const USER = /^[\w.@\\-]{1,64}$/u;

export interface AuditorParts {
  readonly log: Pick<SqlAuditLog, 'append'>;
  readonly logger: Logger;
  readonly registry: Registry;
}

export class Auditor {
  readonly #log: Pick<SqlAuditLog, 'append'>;
  readonly #logger: Logger;
  readonly #failures: Counter;

  constructor({ log, logger, registry }: AuditorParts) {
    this.#log = log;
    this.#logger = logger;
    this.#failures = new Counter({
      name: 'tidemark_http_audit_failures_total',
      help: 'Changes that were made and could not be recorded in the audit log',
      registers: [registry],
    });
  }

  /** Never throws: the change has been made, and its answer says so. */
  async record(call: Call, changes: Change | readonly Change[]): Promise<void> {
    for (const change of [changes].flat()) await this.#recordOne(entryOf(call, change));
  }

  async #recordOne(entry: AuditEntry): Promise<void> {
    const { before: _, after: __, at: ___, ...line } = entry;
    this.#logger.info({ audit: line }, 'changed');
    try {
      await this.#log.append(entry);
    } catch (error) {
      this.#failures.inc();
      this.#logger.error({ err: error, audit: line }, 'a change was made that the audit log does not have');
    }
  }
}

function entryOf(call: Call, { action, object, project, before = null, after = null }: Change): AuditEntry {
  const { key, requestId } = call;
  return {
    at: BigInt(Date.now()) * 1_000n,
    principalId: key?.id ?? 'none',
    principalName: key?.name ?? userNameOf(call),
    source: call.isLocal ? null : (call.req.socket.remoteAddress ?? null),
    action,
    projectId: project === undefined ? call.projectId : project,
    object,
    before: bounded(before),
    after: bounded(after),
    requestId,
  };
}

function userNameOf({ isLocal, headers }: Call): string | null {
  const user = headers[USER_HEADER];
  return isLocal && typeof user === 'string' && USER.test(user) ? user : null;
}

/** Still JSON. */
function bounded(json: string | null): string | null {
  return json === null || json.length <= MAX_JSON_LENGTH ? json : `{"omitted_characters":${json.length}}`;
}
