/** What a JSON value holds that no message may, wherever it stands. */

import { digitsWrittenOut, MAX_NUMBER_DIGITS } from './exact-number.ts';
import type { Problem } from './message.ts';

/** The most problems that a refusal names. */
export const MAX_PROBLEMS = 100;

/** Containers within containers, the body's own included. */
export const MAX_DEPTH = 64;

// A hundred pointers through a key of 500 KB would be 50 MB.
const MAX_POINTER_CHARS = 1_000;

/**
 * What is wrong with a value (as `JsonBody.exact` has it) that stands at `place`, the first `atMost` problems: the rest is
 * not looked at. A place whose pointer is longer than 1,000 characters is told by the nearest container that has a shorter one.
 */
export function unacceptableIn(value: unknown, place: readonly Step[], atMost = MAX_PROBLEMS): readonly Problem[] {
  const inspection = new Inspection(place, atMost);
  inspection.look(value);
  return inspection.problems;
}

/** The first problem of each place. */
export function firstByPath(problems: readonly Problem[]): Problem[] {
  return [...Map.groupBy(problems, ({ path }) => path).values()].flatMap(([first]) => first ?? []);
}

/** Whether nothing is wrong with a value that has `depth` containers around it in a body. */
export function isAcceptable(value: unknown, depth = 0): boolean {
  return (
    unacceptableIn(
      value,
      Array.from({ length: depth }, () => ''),
      1,
    ).length === 0
  );
}

type Step = string | number;

class Inspection {
  readonly problems: Problem[] = [];
  readonly #place: Step[];
  readonly #atMost: number;

  constructor(place: readonly Step[], atMost: number) {
    this.#place = [...place];
    this.#atMost = atMost;
  }

  look(value: unknown): void {
    if (typeof value === 'string') this.#report(wrongWithText(value));
    else if (typeof value !== 'object' || value === null) return;
    else if (JSON.isRawJSON(value)) this.#report(wrongWithNumber(digitsWrittenOut(value)));
    else if (this.#place.length >= MAX_DEPTH) this.#report(`is nested deeper than ${MAX_DEPTH} levels`);
    else if (Array.isArray(value)) this.#lookAtList(value);
    else this.#lookAtObject(value as Record<string, unknown>);
  }

  #lookAtList(list: readonly unknown[]): void {
    for (let index = 0; index < list.length && !this.#isFull; index++) {
      const member = list[index];
      if (typeof member === 'object' || typeof member === 'string') this.#lookAt(index, member);
    }
  }

  #lookAtObject(object: Record<string, unknown>): void {
    for (const key of Object.keys(object)) {
      if (this.#isFull) return;
      const wrongKey = wrongWithText(key);
      // The pointer to the member itself could not be written: the object that has it is named instead.
      if (wrongKey !== undefined) this.#report(`has a key that ${wrongKey}`);
      this.#lookAt(key, object[key]);
    }
  }

  #lookAt(step: Step, member: unknown): void {
    this.#place.push(step);
    this.look(member);
    this.#place.pop();
  }

  get #isFull(): boolean {
    return this.problems.length >= this.#atMost;
  }

  #report(message: string | undefined): void {
    if (message === undefined || this.#isFull) return;
    const { path, isWhole } = nearestPointer(this.#place);
    this.problems.push({
      path,
      message: isWhole ? message : `has something, under a key too long to name, that ${message}`,
    });
  }
}

function wrongWithText(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character';
  return text.isWellFormed() ? undefined : 'holds half of a surrogate pair';
}

function wrongWithNumber(digits: number): string | undefined {
  return digits > MAX_NUMBER_DIGITS ? `is a number of more than ${MAX_NUMBER_DIGITS} digits` : undefined;
}

function nearestPointer(place: readonly Step[]): { readonly path: string; readonly isWhole: boolean } {
  let path = '';
  for (const step of place) {
    if (typeof step === 'string' && step.length > MAX_POINTER_CHARS) return { path, isWhole: false };
    const longer = path + pointerTo([step]);
    if (longer.length > MAX_POINTER_CHARS) return { path, isWhole: false };
    path = longer;
  }
  return { path, isWhole: true };
}

/** An RFC 6901 pointer. What must not travel in a string is replaced by U+FFFD. */
export function pointerTo(place: readonly Step[]): string {
  return place.map((step) => `/${escaped(String(step))}`).join('');
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('\0', '\uFFFD').toWellFormed();
}
