import type { Micros } from '../../messages/message.ts';
import type { Member } from '../definition/audience.ts';
import { isMoving, momentsOf, passesAll } from '../operators/operators.ts';
import type { TestedAt } from '../operators/operator.ts';
import { valueAt } from '../sql/stored-value.ts';

/** Whether time alone may change which events pass. */
export function isMovingWhere(where: readonly Member[]): boolean {
  return where.some(({ tests }) => isMoving(tests));
}

/** Whether an event passes conditions that time alone changes. Cheap where instants are asked about in ascending order. */
export class MovingWhere {
  readonly #members: readonly Pick<Member, 'tests'>[];
  readonly #values: readonly unknown[];
  /** When the answer may change, in order. */
  readonly moments: readonly Micros[];
  readonly #at: TestedAt;
  #passed = 0;
  #askedAt: Micros;
  #passes: boolean;

  constructor(where: readonly Member[], properties: unknown, at: TestedAt) {
    this.#at = at;
    this.#members = where;
    // Only what is tested is kept: the properties of an event may be large.
    this.#values = where.map(({ path }) => valueAt(properties, path));
    const moments = where.flatMap(({ tests }, index) => momentsOf(this.#values[index], tests, at));
    this.moments = [...new Set(moments)].sort((one, other) => (one < other ? -1 : 1));
    this.#askedAt = at.now;
    this.#passes = this.#testedAt(at.now);
  }

  passesAt(now: Micros): boolean {
    // A second audience that has the same condition begins anew.
    const isEarlier = now < this.#askedAt;
    if (isEarlier) this.#passed = 0;
    this.#askedAt = now;
    const before = this.#passed;
    while ((this.moments[this.#passed] ?? now + 1n) <= now) this.#passed++;
    if (isEarlier || this.#passed > before) this.#passes = this.#testedAt(now);
    return this.#passes;
  }

  #testedAt(now: Micros): boolean {
    return this.#members.every(({ tests }, index) => passesAll(this.#values[index], tests, { ...this.#at, now }));
  }
}
