/** What an import says of the lines that it read. */
import type { Problem } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ImportProblem, ImportRemark } from './import-options.ts';
import type { ReadRecord, RecordReader } from './record-reader.ts';
import { Refusals, remarksOn, unusedSources } from './refusals.ts';

const NOT_KEPT = {
  path: '/timestamp',
  message: 'is before the events that the project keeps: the profile has it, and no question counts it',
} as const;

/** Lines that may have no time without anybody having said so. */
const MOST_UNTIMED = 100;
const TIME_REMEDY =
  'Say where the time is (map), or as of when the file is (set timestamp=…); or that lines may have none (--yes, over HTTP "untimed": true).';

export class Findings {
  readonly #refusals = new Refusals();
  readonly #warnings = new Refusals();
  /** Sources that no record had in any file. */
  #unused: ReadonlySet<string> | undefined;
  #taken = 0;

  /** A line that is refused: its problems with the columns that they are about. */
  refuse(
    { raw, call }: ReadRecord,
    problems: readonly Problem[],
    file: string,
    reader: RecordReader,
  ): readonly ImportProblem[] {
    this.#taken += 1;
    return this.#refusals.add({ raw, call, file, problems }, reader.sources);
  }

  /** A line that is imported. @param isGone Whether it is an event that the project does not keep. */
  take(record: ReadRecord, file: string, reader: RecordReader, isGone: boolean): void {
    this.#taken += 1;
    const problems = [...remarksOn(record), ...(isGone ? [NOT_KEPT] : [])];
    if (problems.length > 0) this.#warnings.add({ ...record, file, problems }, reader.sources);
  }

  endFile({ unused }: RecordReader): void {
    this.#unused = this.#unused?.intersection(unused) ?? unused;
  }

  get refusals(): readonly ImportRemark[] {
    return this.#refusals.list();
  }

  get warnings(): readonly ImportRemark[] {
    return [...unusedSources(this.#unused ?? [], this.#taken), ...this.#warnings.list()];
  }
}

/**
 * @param untimed How many lines have no time, those before included.
 * @param sources Those of the time that somebody named, where no line has had any so far; else none.
 * @throws TidemarkError `COMMAND_INVALID` where the history of lines would be that of today.
 */
export function checkTimes(untimed: number, sources: readonly string[]): void {
  if (untimed > MOST_UNTIMED)
    throw new TidemarkError('COMMAND_INVALID', `More than ${MOST_UNTIMED} lines have no time. ${TIME_REMEDY}`);
  if (sources.length > 0)
    throw new TidemarkError('COMMAND_INVALID', `No record has ${sources.join(', ')} for its time. ${TIME_REMEDY}`);
}
