/** The questions: users who did it at least N times within D days, for more than an amount, and are on the plan "pro". */
export interface Question {
  readonly name: string;
  readonly event: string;
  readonly days: number;
  /** Lower bound of the property `total`, which is spread evenly from 0 to 199.99. */
  readonly above: number;
  readonly atLeast: number;
}

export const QUESTIONS: readonly Question[] = [
  { name: '5 % event, 30 days', event: 'Order Completed', days: 30, above: 50, atLeast: 2 },
  { name: '40 % event, 90 days', event: 'Page Viewed', days: 90, above: 50, atLeast: 3 },
  { name: '0.9 % event, 7 days', event: 'Trial Started', days: 7, above: 50, atLeast: 1 },
];

/** The question as an audience. */
export function audienceOf({ event, days, above, atLeast }: Question): object {
  const within = { last: `${days}d` };
  const done = { event, where: [{ property: 'total', gt: above }], count: { at_least: atLeast }, within };
  return { all: [done, { trait: 'plan', is: 'pro' }] };
}
