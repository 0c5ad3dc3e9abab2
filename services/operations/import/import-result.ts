/** What an import needs to run, and what comes of it. */
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import type { ErasedUsers } from '../../stores/erasures/erased-users.ts';
import type { ImportRemark } from './import-options.ts';
import type { Counts } from './state.ts';

/** What an import writes to; none where it only looks. */
export interface ImportTarget {
  readonly log: Pick<EventLog, 'append'>;
  readonly codec: Pick<Codec, 'encode'>;
  readonly maxClockSkewMs: number;
}

export interface ImportProgress extends Counts {
  /** Bytes of the files as they are, compressed or not. */
  readonly bytesRead: number;
  readonly bytes: number;
  /** Lines of the files that are done. */
  readonly lines: number;
}

export interface ImportHooks {
  readonly onProgress: (progress: ImportProgress) => void;
  readonly onTrouble: (error: unknown) => void;
  /** The people of the project who are forgotten, as known now: readers would leave out their lines. */
  readonly forgotten: () => ErasedUsers;
  /** Ends it after the append under way: what was done is kept. */
  readonly signal: AbortSignal;
}

export interface ImportResult extends ImportProgress {
  /** Where it went on: the line that was done last, 0 where it began anew. */
  readonly resumedAtLine: number;
  readonly isDone: boolean;
  /** What this run refused, by column and reason. */
  readonly refusals: readonly ImportRemark[];
  /** What this run imported and is to be looked at, as lines without a time. */
  readonly warnings: readonly ImportRemark[];
}
