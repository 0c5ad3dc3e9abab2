/** Every way in which Tidemark itself can fail. What a client got wrong is a value (`Problem`), never one of these. */
export type ErrorCode =
  | 'CONFIG_INVALID' // a setting is missing or makes no sense; the message names every one
  | 'FOLDER_IN_USE' // another process has this embedded store open
  | 'FOLDER_EXPOSED' // other users may read or write a data folder; the message has the command that closes it
  | 'ADDRESS_IN_USE' // another process listens on the port; the message names the setting to change
  | 'LOG_UNAVAILABLE' // the event log cannot be reached or cannot write now (disk full)
  | 'LOG_FOREIGN' // the folder is not an event log, or one of a newer version
  | 'LOG_DAMAGED' // a record or the log's own books do not add up
  | 'LOG_REPLACED' // a position names a record that the log does not hold
  | 'LOG_MISCONFIGURED' // a topic is missing or its settings would lose messages; the message names what to change
  | 'SPOOL_FOREIGN' // the spool's folder holds what this version did not put there
  | 'SCHEMA_INCOMPATIBLE' // the registry holds a schema that ours may not follow
  | 'SERVER_DENIED' // a server refuses our name, password or certificate, or we its certificate or its TLS
  | 'SERVER_TOO_OLD' // a server is of a version that lacks what we need
  | 'MESSAGE_UNDECODABLE' // bytes on the log that are no message of ours
  | 'POSITION_MOVED' // another reader has moved this partition's position: this one no longer owns it
  | 'STORE_UNAVAILABLE' // a database cannot be reached now
  | 'STORE_TIMEOUT' // a database did not finish a statement in the time that it may take
  | 'STORE_REJECTED' // a database refuses the statement whatever one does
  | 'STORE_NEWER' // the store was migrated by a newer version of Tidemark
  | 'QUERY_LIMIT' // a question ran past its limit of time, memory or rows
  | 'TOO_MANY_QUESTIONS' // too many questions wait for analytics
  | 'AUDIENCE_UNKNOWN' // no saved audience of the project has this id
  | 'AUDIENCE_EXISTS' // the project has a saved audience of this name
  | 'AUDIENCE_LIMIT' // the project has as many saved audiences as it may
  | 'AUDIENCE_BUSY' // the audience is being evaluated by somebody else
  | 'PROJECT_UNKNOWN' // no project has this id
  | 'KEY_UNKNOWN' // no key has this id
  | 'COMMAND_INVALID' // a command of the command line with an argument that makes no sense
  | 'CONTROL_UNAVAILABLE' // no service listens on the control socket; the command was not carried out
  | 'CONTROL_LOST' // the service did not answer a command; whether it was carried out is not known
  | 'IMPORT_CHANGED' // a file to be imported is not what it was when its import began, or the options are not
  | 'IMPORT_UNREADABLE' // a file to be imported cannot be read to its end
  | 'STOPPING'; // the process is on its way down

const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'LOG_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'STORE_TIMEOUT',
  'TOO_MANY_QUESTIONS',
  'AUDIENCE_BUSY',
  'CONTROL_UNAVAILABLE',
  'STOPPING',
]);

/** What went wrong with us. `retryable`: the same call may succeed later, unchanged. */
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

/** Whether `error` is ours with this code. */
export function hasCode(error: unknown, code: ErrorCode): error is TidemarkError {
  return error instanceof TidemarkError && error.code === code;
}

/** Whether the same call may succeed later, unchanged. An error that is not ours is not known to. */
export function isRetryable(error: unknown): boolean {
  return error instanceof TidemarkError && error.retryable;
}
