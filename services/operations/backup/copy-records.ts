import type { LogCopy, LogRecord, PartitionRecords } from '../../event-log/event-log.ts';
import type { CommandCall, Progress } from '../../runtime/command.ts';

export interface CopyOfRecords {
  readonly to: LogCopy;
  /** The records of a piece, with those of people who were forgotten blank. */
  readonly blankIn: (piece: PartitionRecords) => readonly LogRecord[] | Promise<readonly LogRecord[]>;
  readonly phase: NonNullable<Progress['phase']>;
  /** The records of all pieces, and those of them that were copied before. */
  readonly total: number;
  readonly done?: number;
  /** Called with each piece that was copied. */
  readonly copied?: (piece: PartitionRecords) => void;
}

/** Copies records to where they were: with their offsets and times, and blank where nothing of them may come back. */
export async function copyRecords(
  pieces: AsyncIterable<PartitionRecords>,
  { to, blankIn, phase, total, done = 0, copied }: CopyOfRecords,
  { report, signal }: Pick<CommandCall, 'report' | 'signal'>,
): Promise<void> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    const records = await blankIn(piece);
    await to.appendAt(piece, records);
    copied?.({ ...piece, records });
    done += records.length;
    report({ phase, done, total, unit: 'records' });
  }
}
