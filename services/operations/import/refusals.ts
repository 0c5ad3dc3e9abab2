/** What was refused, by column and reason, for people who mend a mapping. */
import type { Problem } from '../../messages/message.ts';
import { type Sources, valueAt } from './mapping/explain.ts';
import type { ImportProblem, ImportRemark } from './import-options.ts';
import type { JudgedCall } from './judge.ts';
import type { RawRecord } from './record.ts';

type Example = ImportRemark['examples'][number];

const UNTIMED = {
  identify: 'is missing: what the line sets is as of when the project was made, and overwrites nothing newer',
  track: 'is missing: the event is dated at the import',
} as const;

/** What is to be known of a record that is imported: that it has no time, and what of it was mended. */
export function remarksOn({ judged }: JudgedCall): readonly Problem[] {
  if (!judged.ok) return [];
  const { timestamp, type, adjusted } = judged.draft;
  const mended = (adjusted ?? []).map(({ path, message }) => {
    return { path, message: message.replace(/^is taken as \d.*/, 'is taken as the time that it must mean') };
  });
  return timestamp === null ? [{ path: '/timestamp', message: UNTIMED[type] }, ...mended] : mended;
}

/** Sources that no record had, which are misspelt or not needed. @param count How many records there were. */
export function unusedSources(sources: Iterable<string>, count: number): readonly ImportRemark[] {
  if (count === 0) return [];
  return [...sources].map((column) => ({ column, message: 'is in no record', count, examples: [] }));
}

const EXAMPLES = 3;
const EXAMPLE_LENGTH = 200;
/** Messages may hold parts of the record: not each of them is a kind of its own. */
const MOST_KINDS = 100;
const ANOTHER_REASON = 'is refused for another reason';

/** A record and what is to be said of it. */
interface Rejected {
  readonly raw: RawRecord;
  /** What was judged, where there was anything. */
  readonly call?: unknown;
  readonly file: string;
  readonly problems: readonly Problem[];
}

export class Refusals {
  readonly #kinds = new Map<string, { column: string | null; message: string; count: number; examples: Example[] }>();

  /** Its problems with the columns that they are about. */
  add({ raw, call, file, problems }: Rejected, sources: Sources): readonly ImportProblem[] {
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
