import { expect, test } from 'vitest';
import { describeQuestion } from '../../../services/api/mcp/question.ts';
import { readFunnel } from '../../../services/questions/events/read-funnel.ts';
import { readCountsQuestion, readEventsQuestion } from '../../../services/questions/events/read-question.ts';

const project = { timezone: 'UTC' };

function described(question: object): string {
  const text = JSON.stringify(question);
  const readEvents = 'measure' in question ? readCountsQuestion : readEventsQuestion;
  const read = 'sequence' in question ? readFunnel({ project, text }) : readEvents({ project, text });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return describeQuestion(read.value);
}

const LARGE_ORDERS = { event: 'Order Completed', where: [{ property: 'total', gt: 100 }], within: { last: '30d' } };
const DID = 'did "Order Completed" where "total" is more than 100 in the last 30 days';

test.each([
  [{}, 'the times that users did anything'],
  [LARGE_ORDERS, `the times that users ${DID}`],
  [{ ...LARGE_ORDERS, measure: 'count' }, `how many times users ${DID}`],
  [{ ...LARGE_ORDERS, measure: 'users' }, `how many users ${DID}`],
  [
    { ...LARGE_ORDERS, measure: 'sum', of: ['cart', 'total'] },
    `the sum of "cart" → "total" of the times that users ${DID}`,
  ],
  [
    { ...LARGE_ORDERS, measure: 'percentile', of: 'total', p: 95 },
    `the percentile 95 of "total" of the times that users ${DID}`,
  ],
  [
    { measure: 'count', event: ['A', 'B'], users: { any: [{ trait: 'plan', is: 'pro' }, { event: 'C' }] } },
    'how many times users did "A" or "B", by those:\n  at least one of these:\n    whose "plan" is "pro"\n    who did "C"',
  ],
  [
    { sequence: { event: 'A', within: { last: '30d' }, followed_by: { event: 'B', within: '7d' } } },
    'how many users came how far as those who did "A" in the last 30 days, followed by "B" within 7 days',
  ],
])('the question %j in English is: %s', (question, sentence) => {
  expect(described(question)).toBe(sentence);
});
