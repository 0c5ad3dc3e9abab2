import type { Micros } from '../../messages/message.ts';
import type { Test } from '../definition/audience.ts';
import type { Reading } from '../definition/reading.ts';
import type { ValueSql } from '../definition/value.ts';
import type { Scope } from '../sql/params.ts';
import type { ValueLocation } from '../sql/stored-value.ts';
import type { Steps } from '../steps.ts';
import type { Course } from './course.ts';

/** Everything that the service knows about an operator beside a trait or a property. Pure. */
export interface Operator<T extends Test> {
  /** Undefined after it has refused the value. */
  read(reading: Reading, value: unknown, path: string): T | undefined;
  /** In English, after the name of the member. */
  describe(test: T): string;
  /** The condition that a value in ClickHouse passes. Never NULL. */
  sql(scope: Scope, value: ValueSql, test: T): string;
  /** Whether a value in memory passes; undefined is a missing one. The same as `sql` says of the stored value. */
  passes(value: unknown, test: T, at: TestedAt): boolean;
  /** When a value that stays passes from the evaluation on. Left out where time changes nothing. */
  course?(value: unknown, test: T, at: TestedAt): Course;
}

/** By the test, the texts among the values of a row that its pattern matches. */
export type MatchedTexts = ReadonlyMap<Test, ReadonlySet<string>>;

/** Where a value is stored, and the evaluation, which relative times count back from. */
export interface TestedAt extends AtEvaluation {
  readonly location: ValueLocation;
  /** What patterns match in the row of the value. Left out where there is no value. */
  readonly matched?: MatchedTexts | undefined;
}

/** The evaluation, and the count of what is done for it. */
export interface AtEvaluation {
  readonly now: Micros;
  readonly steps: Steps;
}

export type TestOf<K extends Test['test']> = Extract<Test, { readonly test: K }>;
