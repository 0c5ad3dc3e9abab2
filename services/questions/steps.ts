import { TidemarkError } from '../runtime/errors.ts';
import { type Condition, inSequence, type LocatedCondition } from './definition/audience.ts';

/** Some two seconds of a processor at most. */
export const MOST_STEPS = 1_000_000;

/**
 * Counts the work that is done in this process for one question, or for one user of live audiences: a step is a test of a
 * value, an instant at which it comes to pass or no longer does, or an event in a window of time. All that multiplies what
 * a caller chooses (events, objects of lists, instants, constants) is counted here before it is done.
 */
export class Steps {
  readonly #paths: ReadonlyMap<Condition, string>;
  #left = MOST_STEPS;
  /** The condition that the steps are for. */
  of: Condition | undefined;

  /** @param conditions With the pointers by which a refusal names them. */
  constructor(conditions: readonly LocatedCondition[] = []) {
    const later = conditions.flatMap(({ path, condition }) =>
      condition.kind === 'event' ? inSequence(condition).map((one) => [one, path] as const) : [],
    );
    this.#paths = new Map([...later, ...conditions.map(({ path, condition }) => [condition, path] as const)]);
  }

  /** @throws TidemarkError `QUERY_LIMIT`, naming the condition, past `MOST_STEPS`. */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    const path = this.of && this.#paths.get(this.of);
    const where = path === undefined ? '' : ` at ${JSON.stringify(path)}`;
    throw new TidemarkError(
      'QUERY_LIMIT',
      `the question went past its limit of ${MOST_STEPS} steps${where}: the user has too many events or objects for it`,
    );
  }
}
