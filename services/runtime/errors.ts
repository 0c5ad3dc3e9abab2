/** Every way in which Tidemark itself can fail. A client's mistake is a value (`Problem`), never one of these. */
export type ErrorCode =
  | 'CONFIG_INVALID' // a setting is missing or not valid; the message names every one
  | 'FOLDER_IN_USE' // another process has this embedded store open
  | 'FOLDER_EXPOSED' // other users may read or write a folder; the message has the command that closes it
  | 'ADDRESS_IN_USE' // another process listens on the port; the message names the setting to change
  | 'LOG_UNAVAILABLE' // the event log cannot be reached or cannot write now (disk full)
  | 'LOG_FOREIGN' // the folder is not an event log, or one of a newer version or of version 0.2
  | 'LOG_NEWER' // a newer version of Tidemark has written records that this one cannot read yet
  | 'LOG_DAMAGED' // a record is damaged, or the log's own metadata is inconsistent
  | 'LOG_REPLACED' // a position names a record that the log does not hold
  | 'LOG_MISCONFIGURED' // a topic is missing or its settings would lose messages; the message names what to change
  | 'SPOOL_FOREIGN' // the spool's folder holds files that this version does not know
  | 'SCHEMA_INCOMPATIBLE' // the registry holds a schema that this version's is not compatible with
  | 'SERVER_DENIED' // a server refuses our name, password or certificate, or its certificate or TLS is refused here
  | 'SERVER_TOO_OLD' // a server is of a version that lacks what we need
  | 'MESSAGE_UNDECODABLE' // bytes on the log that are not a message produced by Tidemark
  | 'POSITION_MOVED' // another reader has moved this partition's position: this one no longer owns it
  | 'STORE_UNAVAILABLE' // a database cannot be reached now
  | 'STORE_TIMEOUT' // a database did not finish a statement in the time that it may take
  | 'STORE_REJECTED' // a database refuses the statement permanently
  | 'STORE_DAMAGED' // the files of an embedded database are damaged or missing; the message says what to do
  | 'STORE_NEWER' // the store was migrated by a newer version of Tidemark
  | 'STORE_OLDER' // the store lacks what this version needs, and `MIGRATE=off`: it waits for `tidemark migrate`
  | 'STORE_FOREIGN' // a version before 0.3.0 was the last to migrate the store
  | 'QUERY_LIMIT' // a question ran past its limit of time, memory, rows or steps
  | 'TOO_MANY_QUESTIONS' // too many questions wait for analytics
  | 'AUDIENCE_UNKNOWN' // no saved audience of the project has this id
  | 'AUDIENCE_EXISTS' // the project has a saved audience of this name
  | 'AUDIENCE_CHANGED' // somebody else changed the audience since the revision that a change names
  | 'EVENTS_DIFFER' // other events than were confirmed would be erased
  | 'EVENTS_LIMIT' // more events than one erasure takes
  | 'AUDIENCE_LIMIT' // the project has as many saved audiences as it may
  | 'AUDIENCE_CIRCLE' // an audience would refer to itself, by whatever others
  | 'AUDIENCE_USED' // other audiences refer to the audience
  | 'AUDIENCE_BUSY' // another process is evaluating the audience
  | 'ENDPOINT_UNKNOWN' // the project has no webhook endpoint of this id
  | 'ENDPOINT_LIMIT' // the project has as many webhook endpoints as it may
  | 'KEPT_LIMIT' // the project has as many pins, notes or watches as it may
  | 'DELIVERY_UNKNOWN' // the endpoint has no delivery of this id that can be sent again
  | 'ENDPOINT_UNSIGNED' // the webhook endpoint is a topic, whose messages are not signed
  | 'KAFKA_MISSING' // the webhook endpoint is a topic, and the event log is not on Kafka
  | 'AUDIENCE_NOT_LIVE' // an installation of this form keeps no audience live
  | 'IDS_NOT_JOINED' // anonymous ids cannot be joined to users there; the message says what to do
  | 'WAITING_FOR_ANALYTICS' // analytics has lost messages that it had, and the sink has not inserted them again yet
  | 'PROJECTS_LOST' // the log is not new and the database has no project; the message says what to do
  | 'PROJECT_UNKNOWN' // no project has this id
  | 'PROJECT_NAME_DIFFERS' // the name that confirms the deletion of a project is not its name
  | 'KEY_UNKNOWN' // no key has this id
  | 'DEAD_LETTER_UNKNOWN' // no dead letter has this id
  | 'DEAD_LETTER_SETTLED' // the dead letter was replayed, edited or dropped before
  | 'COMMAND_INVALID' // a request or a command with an argument that is not valid
  | 'CONTROL_UNAVAILABLE' // a service has the data folder and does not answer; the command was not carried out
  | 'CONTROL_LOST' // the service did not answer a command; whether it was carried out is not known
  | 'IMPORT_CHANGED' // a file to be imported, or an option, has changed since its import began
  | 'IMPORT_UNREADABLE' // a file to be imported cannot be read to its end
  | 'BACKUP_UNAVAILABLE' // the folder of a backup cannot be read or written now; the message says why
  | 'BACKUP_DAMAGED' // a file of a backup is missing or not as it was written; the message names it
  | 'BACKUP_FOREIGN' // the folder holds no backup, one of another installation, or one of a newer version
  | 'RESTORE_REFUSED' // a backup cannot be restored there: something is there already, or the backup does not fit
  | 'RESTORE_UNFINISHED' // the stores are being restored from a backup, or a restore did not come to its end
  | 'STOPPING'; // the process is stopping

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'LOG_UNAVAILABLE',
  'LOG_NEWER',
  'STORE_UNAVAILABLE',
  'STORE_TIMEOUT',
  'STORE_OLDER',
  'TOO_MANY_QUESTIONS',
  'AUDIENCE_BUSY',
  'WAITING_FOR_ANALYTICS',
  'CONTROL_UNAVAILABLE',
  'BACKUP_UNAVAILABLE',
  'STOPPING',
]);

/** A failure of Tidemark or of a server it needs. `retryable`: the same call may succeed later, unchanged. */
export class TidemarkError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'TidemarkError';
    this.code = code;
    this.retryable = RETRYABLE.has(code);
  }
}

/** Whether `error` is a TidemarkError with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is TidemarkError {
  return error instanceof TidemarkError && error.code === code;
}

/** Whether the same call may succeed later, unchanged. Only a TidemarkError is known to be retryable. */
export function isRetryable(error: unknown): boolean {
  return error instanceof TidemarkError && error.retryable;
}
