import type { EventLog, LogReader, ReaderOptions } from '../../../services/event-log/event-log.ts';

export const PARTITIONS = 3;

/** Opens a log that has these topics, empty, with three partitions each. */
export type OpenLog = (options: {
  readonly topics: readonly string[];
  readonly partitions: number;
}) => Promise<EventLog>;

/** What not every log can do. */
export interface EventLogAbilities {
  /** Offsets begin at 0 and have no gaps. */
  readonly denseOffsets: boolean;
  /** An append that rejects leaves nothing. */
  readonly atomicAppends: boolean;
  /** One member of a group holds every partition, the others stand by. */
  readonly oneMemberHoldsAll: boolean;
  /** A cut deletes every record before its offsets. */
  readonly cutsExactly: boolean;
}

/** A log under test, closed when the test ends. */
export interface Bench {
  readonly log: EventLog;
  readonly a: string;
  readonly b: string;
  /** Opens a reader, by default of topic `a` from its beginning in a group of its own, closed when the test ends. */
  readonly reader: (options?: Partial<ReaderOptions>) => Promise<LogReader>;
}

export type MakeBench = () => Promise<Bench>;
