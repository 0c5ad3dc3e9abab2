/** The questions: an event by day, one of them split by a property of ten values. Times are UTC. */
export interface Question {
  readonly name: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly isSplit: boolean;
}

const TO = '2026-11-20 12:00:00';

export const QUESTIONS: readonly Question[] = [
  { name: '5 % event, 30 days by day', event: 'Order Completed', from: '2026-10-21 12:00:00', to: TO, isSplit: false },
  {
    name: '40 % event, 90 days by day, split',
    event: 'Page Viewed',
    from: '2026-08-22 12:00:00',
    to: TO,
    isSplit: true,
  },
];

/** The body of the question for `POST /v1/events/counts`. */
export function bodyOf({ event, from, to, isSplit }: Question, timezone: string): string {
  const within = { between: [from, to].map((time) => `${time.replace(' ', 'T')}Z`) };
  const split = isSplit ? { split: { property: 'screen', top: 10 } } : {};
  return JSON.stringify({ event, within, measure: 'count', interval: 'day', timezone, ...split });
}
