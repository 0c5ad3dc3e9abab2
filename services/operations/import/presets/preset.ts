import type { Mapping, Rule } from '../mapping/mapping.ts';
import type { RecordMembers } from '../mapping/members.ts';
import type { Format } from '../record.ts';

/** The form in which a product exports its data, and how its records become calls. */
export interface Preset {
  /** What it is called in a request. */
  readonly name: string;
  readonly format: Format;
  /** Members that records of this form have, by their paths: the guess knows it by them. */
  readonly signs: readonly string[];
  readonly mapping: Mapping;
  /** Whether the records are calls as SDKs sent them, which are mended as those that arrive. */
  readonly isOfSdk?: boolean;
  /** Where its times without an offset are; the project's where left out. */
  readonly timezone?: string;
  /** What a mapping cannot say: the record to be mapped, made of this one, or why this one is not to be imported. */
  readonly prepare?: (record: RecordMembers) => RecordMembers | string;
}

/** Each record is an event, whose context has what no rule names. */
export function eventsBy(rules: readonly Rule[]): Mapping {
  return { rules, constants: { type: 'track' }, rest: 'context' };
}

/** Each record is of a user, and what no rule names is left out. */
export function usersBy(rules: readonly Rule[]): Mapping {
  return { rules, constants: { type: 'identify' }, rest: 'nowhere' };
}
