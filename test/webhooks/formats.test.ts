import { expect, test } from 'vitest';
import { bodyAs, type BodyFormat } from '../../services/webhooks/formats.ts';

const ONE_PERSON = { user_id: 'ada', anonymous_id: null, internal_id: '00' };
const HOSTILE_WORDS = '<!channel> *a* [b](http://c) & <@1> @everyone `x`\n\u0000# big';

function bodyOf(type: string, data: object): string {
  return JSON.stringify({ type, timestamp: '2026-11-20T09:15:00.000000Z', data });
}

function chatText(format: BodyFormat, body: string): string {
  const sent = JSON.parse(bodyAs(format, body)) as {
    text: string;
    content: string;
    attachments: readonly [{ content: { body: readonly [{ inlines: readonly [{ text: string }] }] } }];
  };
  if (format === 'teams') return sent.attachments[0].content.body[0].inlines[0].text;
  return format === 'slack' ? sent.text : sent.content;
}

const memberChanges = Array.from({ length: 7 }, (_, n) => ({
  ...ONE_PERSON,
  user_id: n === 1 ? null : `u${n}`,
  anonymous_id: 'anon',
  change: n < 6 ? 'entered' : 'left',
}));

test.each([
  [
    'audience.changed',
    { audience: { name: 'Pro' }, changes: memberChanges },
    'Audience Pro: 6 entered (u0, anon, u2, u3, u4 and 1 more); 1 left (u6).',
  ],
  ['user.forgotten', { users: [ONE_PERSON] }, 'To be forgotten: ada.'],
  [
    'dead_letter.waiting',
    { waiting: 2, code: 'A', error: 'A: no' },
    'Dead letters wait: 2, the newest because of A: no',
  ],
  [
    'verification.differs',
    { missing: { postgres: 1, clickhouse: 2 }, surplus: { postgres: 0, clickhouse: 0 } },
    'A verification found 3 missing and 0 surplus messages.',
  ],
  ['watch.raised', { text: 'No order: none.' }, 'No order: none.'],
  ['attention.ended', { text: 'No longer: full.' }, 'No longer: full.'],
  ['endpoint.test', { endpoint_id: 'end_1' }, 'This is a test: Tidemark can send messages here.'],
])('a message of %s is a sentence in a chat', (type, data, sentence) => {
  expect(chatText('slack', bodyOf(type, data))).toBe(sentence);
});

test('nothing that somebody wrote is markup or calls anybody', () => {
  const body = bodyOf('watch.raised', { text: HOSTILE_WORDS });

  expect(JSON.parse(bodyAs('slack', body))).toEqual({
    text: '&lt;!channel&gt; *a* [b](http://c) &amp; &lt;@1&gt; @everyone `x` # big',
    mrkdwn: false,
  });
  expect(JSON.parse(bodyAs('discord', body))).toEqual({
    content: '\\<!channel\\> \\*a\\* \\[b\\]\\(http\\://c\\) & \\<\\@1\\> \\@everyone \\`x\\` \\# big',
    allowed_mentions: { parse: [] },
  });
  expect(JSON.parse(bodyAs('teams', body))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'RichTextBlock',
              inlines: [{ type: 'TextRun', text: '<!channel> *a* [b](http://c) & <@1> @everyone `x` # big' }],
            },
          ],
        },
      },
    ],
  });
});

test.each(['slack', 'teams', 'discord'] as const)(
  'what %s does not take is cut off, between two characters',
  (format) => {
    for (const text of ['*'.repeat(3_000), `a${'👋'.repeat(2_000)}`]) {
      const cut = chatText(format, bodyOf('watch.raised', { text }));

      expect(cut.length).toBeLessThanOrEqual(2_000);
      expect(cut).toMatch(/…$/u);
      expect(cut.isWellFormed()).toBe(true);
    }
  },
);

test('a body of JSON stays as it is', () => {
  expect(bodyAs('json', '{"n":1.000}')).toBe('{"n":1.000}');
});
