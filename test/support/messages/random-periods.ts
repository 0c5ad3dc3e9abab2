import * as fc from 'fast-check';
import type { EventCondition, Instant } from '../../../services/questions/definition/audience.ts';

/** The instant around which the periods lie. */
export const NOW = 1_000n;

/** That the user has ever done X. */
export const EVER: EventCondition = {
  kind: 'event',
  events: ['X'],
  where: [],
  within: null,
  times: { atLeast: 1, atMost: null },
  first: null,
  last: null,
  sequence: null,
  measure: null,
};

const instant: fc.Arbitrary<Instant> = fc.oneof(
  fc.bigInt(-1n, 40n).map((ago) => ({ ago })),
  fc.bigInt(950n, 1_050n).map((at) => ({ at })),
);
const end = fc.option(instant, { freq: 4, nil: null });
/** A few instants before and after `NOW`. */
export const period = fc.option(fc.record({ from: end, to: end }), { nil: null });
