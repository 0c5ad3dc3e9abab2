import type { Person } from './person.ts';
import type { Shop } from './shop.ts';

/** One that somebody wants done, and does in the console alone. */
export interface Task {
  readonly number: number;
  readonly name: string;
  /** What it took on 27 November 2026, before the console was changed. */
  readonly before: string;
  /** Where it begins. */
  readonly from: string;
  /** The address of that; left out for Today. */
  readonly opens?: (shop: Shop) => string;
  readonly isAdmin?: boolean;
  /** @returns What was seen. @throws Error where it cannot be done, with what is missing. */
  readonly run: (person: Person, shop: Shop) => Promise<string | void>;
}
