import { MAX_PROBLEMS, pointerTo } from '../../messages/unacceptable.ts';
import type { Problem } from '../../messages/message.ts';
import {
  MAX_CONDITIONS,
  MAX_REFERRED_CONDITIONS,
  MAX_REFERRED_VALUES,
  MAX_TEXT,
  MAX_VALUES_TOGETHER,
} from './limits.ts';

/** The saved audiences that a definition refers to, and that those refer to, by their ids: their JSON as `parseBody` gives it. */
export interface AudienceDefinitions {
  readonly get: (id: string) => { readonly name: string; readonly definition: unknown } | undefined;
}

/** Why ClickHouse refuses patterns, by their texts. */
export type RejectedPatterns = ReadonlyMap<string, string>;

/** What stores say of a definition before it is read. */
export interface Consulted {
  /** The saved audiences that it may refer to. Default: none. */
  readonly audiences?: AudienceDefinitions;
  /** Default: none. */
  readonly rejectedPatterns?: RejectedPatterns;
}

/** What is accepted and most likely means something else than its author thinks. */
export interface Warning extends Problem {
  /** JSON text that is most likely meant in this place. */
  readonly instead?: string;
}

/** The state of reading one definition. Each function that reads a part returns undefined after it has refused it. */
export class Reading {
  readonly timezone: string;
  readonly problems: Problem[] = [];
  readonly warnings: Warning[] = [];
  readonly audiences: AudienceDefinitions;
  readonly rejectedPatterns: RejectedPatterns;
  /** The saved audiences that are being read, each referred to by the one before. */
  readonly referring: string[] = [];
  /** The lists whose objects are being asked about, each in the one before. */
  listDepth = 0;
  readonly #isSaved: boolean;
  #conditions = 0;
  #referredConditions = 0;
  #values = 0;
  #referredValues = 0;

  constructor(timezone: string, { audiences = new Map(), rejectedPatterns = new Map() }: Consulted, isSaved = false) {
    this.timezone = timezone;
    this.audiences = audiences;
    this.rejectedPatterns = rejectedPatterns;
    this.#isSaved = isSaved;
  }

  /** Whether a saved definition is being read, whose patterns were taken when it was saved. */
  get isSaved(): boolean {
    return this.#isSaved || this.referring.length > 0;
  }

  refuse(path: string, message: string): undefined {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path, message });
  }

  warn(path: string, message: string): void {
    // What others refer to was warned of when it was saved.
    if (this.referring.length === 0 && this.warnings.length < MAX_PROBLEMS) this.warnings.push({ path, message });
  }

  /** Counts a condition. Returns false after it has refused one more than there may be. */
  countCondition(path: string): boolean {
    const isReferred = this.referring.length > 0;
    const count = isReferred ? ++this.#referredConditions : ++this.#conditions;
    const most = isReferred ? MAX_REFERRED_CONDITIONS : MAX_CONDITIONS;
    if (count > most) this.refuse(path, `is one condition more than ${most}`);
    return count <= most;
  }

  /** Counts the values of an `in`. Returns false after it has refused more than there may be. */
  countValues(values: number, path: string): boolean {
    const isReferred = this.referring.length > 0;
    if (isReferred) this.#referredValues += values;
    // What is saved was counted when it was.
    else if (!this.#isSaved) this.#values += values;
    const count = isReferred ? this.#referredValues : this.#values;
    const most = isReferred ? MAX_REFERRED_VALUES : MAX_VALUES_TOGETHER;
    if (count > most) this.refuse(path, `has more values, with those of other in, than ${most}`);
    return count <= most;
  }

  object(value: unknown, path: string): Record<string, unknown> | undefined {
    return isJsonObject(value) ? value : this.refuse(path, 'is not an object');
  }

  /** A list that is not empty. */
  list(value: unknown, path: string, most: number): readonly unknown[] | undefined {
    if (!Array.isArray(value)) return this.refuse(path, 'is not a list');
    if (value.length === 0) return this.refuse(path, 'is empty');
    return value.length > most ? this.refuse(path, `has more than ${most} members`) : value;
  }

  text(value: unknown, path: string, least = 0): string | undefined {
    if (typeof value !== 'string') return this.refuse(path, 'is not a string');
    if (value.length < least) return this.refuse(path, 'is empty');
    if (lengthOf(value) > MAX_TEXT) return this.refuse(path, `is longer than ${MAX_TEXT} characters`);
    // No stored string contains these, and no store accepts them in a query.
    if (value.includes('\0') || !value.isWellFormed()) return this.refuse(path, 'is not valid Unicode without NUL');
    return value;
  }

  /** Refuses every other member. */
  onlyKeys(value: object, known: readonly string[], path: string): void {
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.refuse(path + pointerTo([key]), `is not known here (known: ${known.join(', ')})`);
    }
  }
}

/** In code points. Exact up to the limit; longer texts count as longer than the limit. */
function lengthOf(text: string): number {
  return text.length <= MAX_TEXT ? text.length : Array.from(text.slice(0, 2 * MAX_TEXT + 2)).length;
}

/** Takes a value as `parseBody` gives it, in either form. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
