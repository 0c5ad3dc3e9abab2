/** What an import says of the lines that it read: of each, and by column and reason for people who mend a mapping. */
import type { Draft } from '../../messages/draft.ts';
import type { Problem } from '../../messages/message.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import type { ImportProblem, ImportRemark } from './import-options.ts';
import { valueAt } from './mapping/explain.ts';
import type { ReadRecord, RecordReader } from './record-reader.ts';

const UNTIMED = {
  identify: 'is missing: what the line sets is as of when the project was made, and overwrites nothing newer',
  track: 'is missing: the event is dated at the import',
} as const;

export const NOT_KEPT = {
  path: '/timestamp',
  message: 'is before the events that the project keeps: the profile has it, and no question counts it',
} as const;

/** Lines that may have no time without anybody having said so. */
const MOST_UNTIMED = 100;
const TIME_REMEDY =
  'Say where the time is (map), or as of when the file is (set timestamp=…); or that lines may have none (--yes, over HTTP "untimed": true).';

export class Findings {
  readonly #refusals = new Remarks();
  readonly #warnings = new Remarks();
  /** Sources that no record had in any file: they are misspelt, or not needed. */
  #unused: ReadonlySet<string> | undefined;
  #taken = 0;

  /**
   * A line that is refused or imported.
   *
   * @param more What is to be said of it if it is imported.
   * @returns Why it is refused, with the columns that are at fault.
   */
  add(record: ReadRecord, file: string, { sources }: RecordReader, more: readonly Problem[] = []) {
    this.#taken += 1;
    const { judged } = record;
    if (!judged.ok) return this.#refusals.add(judged.problems, record, file, sources);
    this.#warnings.add([...remarksOn(judged.draft), ...more], record, file, sources);
    return [];
  }

  endFile({ unused }: RecordReader): void {
    this.#unused = this.#unused?.intersection(unused) ?? unused;
  }

  get refusals(): readonly ImportRemark[] {
    return this.#refusals.list();
  }

  get warnings(): readonly ImportRemark[] {
    const count = this.#taken;
    const unused = [...(this.#unused ?? [])].map((column) => ({
      column,
      message: 'is in no record',
      count,
      examples: [],
    }));
    return [...(count === 0 ? [] : unused), ...this.#warnings.list()];
  }
}

/** That a record that is imported has no time, and what of it was mended. */
function remarksOn({ timestamp, type, adjusted }: Draft): readonly Problem[] {
  const mended = (adjusted ?? []).map(({ path, message }) => {
    return { path, message: message.replace(/^is taken as \d.*/, 'is taken as the time that it must mean') };
  });
  return timestamp === null ? [{ path: '/timestamp', message: UNTIMED[type] }, ...mended] : mended;
}

const EXAMPLES = 3;
const EXAMPLE_LENGTH = 200;
/** Messages may hold parts of the record: not each of them is a kind of its own. */
const MOST_KINDS = 100;
const ANOTHER_REASON = 'is refused for another reason';

type Example = ImportRemark['examples'][number];

class Remarks {
  readonly #kinds = new Map<string, ImportRemark & { count: number; examples: Example[] }>();

  /** The problems of a record, with the columns that they are about. */
  add(
    problems: readonly Problem[],
    { raw, call }: ReadRecord,
    file: string,
    sources: RecordReader['sources'],
  ): readonly ImportProblem[] {
    return problems.map((problem) => {
      const column = sources.of(problem.path);
      const value = problem.path === '' ? raw.bytes.toString() : valueAt(call, problem.path);
      const example = { file, line: raw.line, value: value?.slice(0, EXAMPLE_LENGTH) ?? null };
      this.#count(problem, column, example);
      return column === undefined ? problem : { ...problem, column };
    });
  }

  #count({ path, message }: Problem, column: string | undefined, example: Example): void {
    const name = column ?? (path === '' ? null : path);
    const isNew = !this.#kinds.has(JSON.stringify([name, message]));
    const [kept, reason] = isNew && this.#kinds.size >= MOST_KINDS ? [null, ANOTHER_REASON] : [name, message];
    const key = JSON.stringify([kept, reason]);
    const kind = this.#kinds.get(key) ?? { column: kept, message: reason, count: 0, examples: [] };
    this.#kinds.set(key, kind);
    kind.count += 1;
    if (kind.examples.length < EXAMPLES) kind.examples.push(example);
  }

  /** The most frequent first. */
  list(): readonly ImportRemark[] {
    return [...this.#kinds.values()].toSorted((a, b) => b.count - a.count);
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
