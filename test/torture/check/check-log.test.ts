import { expect, test } from 'vitest';
import { LogCheck } from './check-log.ts';
import { Findings, type Kind } from './findings.ts';
import { type Expected, Ledger } from './ledger.ts';
import type { LoggedMessage } from './model.ts';

const NOW = BigInt(Date.now()) * 1_000n;
const SENT: Omit<Expected, 'content'> = {
  kind: 'track',
  projectId: 'p',
  userKey: 'f'.repeat(64),
  userId: 'ada',
  anonymousId: null,
  source: 'track',
  event: 'Tried',
  sessionId: null,
  anonymous: null,
  messageId: null,
  timestamp: null,
  isRepeat: false,
};

/** A ledger of three messages, all answered, and the log as it should be. */
function answered(): { ledger: Ledger; log: LoggedMessage[] } {
  const ledger = new Ledger();
  const log = [0, 1, 2].map((n) => {
    const content = `{"n":${n}}`;
    ledger.add({ ...SENT, content });
    ledger.answered(n, `id ${n}`);
    return logged(n, content);
  });
  return { ledger, log };
}

function logged(n: number, content = `{"n":${n}}`, receivedAt = NOW + BigInt(n)): LoggedMessage {
  const times = receivedAt + 2_208_988_800_000_000n;
  const version = (((times << 54n) | times) << 20n).toString(16).padStart(32, '0');
  const { kind: _, timestamp: __, isRepeat: ___, ...sent } = SENT;
  return {
    ...sent,
    topic: 'tidemark.track',
    partition: 0,
    offset: BigInt(n),
    messageId: `id ${n}`,
    messageIdGiven: false,
    timestamp: receivedAt,
    receivedAt,
    version,
    content,
  };
}

function kindsOf(ledger: Ledger, log: readonly LoggedMessage[]): readonly Kind[] {
  const findings = new Findings();
  const check = new LogCheck(ledger, findings);
  for (const message of log) check.add(message);
  check.finish();
  return findings.kinds;
}

test('a log as it was sent has nothing wrong, copies neither', () => {
  const { ledger, log } = answered();
  expect(kindsOf(ledger, [...log, ...log])).toEqual([]);
});

test('what was answered and is not there is lost', () => {
  const { ledger, log } = answered();
  expect(kindsOf(ledger, log.slice(1))).toEqual(['lost from the log']);
});

test.each<[string, Partial<LoggedMessage>]>([
  ['content', { content: '{"n":1,"more":0}' }],
  ['user', { userId: 'bob' }],
  ['event', { event: 'tried' }],
])('another %s than was sent is found', (_, change) => {
  const { ledger, log } = answered();
  const changed = log.map((message, n) => (n === 1 ? { ...message, ...change } : message));
  expect(kindsOf(ledger, changed)).toEqual(['lost from the log', 'changed on the log']);
});

test('another id than was answered is found', () => {
  const { ledger, log } = answered();
  const changed = log.map((message, n) => (n === 1 ? { ...message, messageId: 'another' } : message));
  expect(kindsOf(ledger, changed)).toEqual(['changed on the log']);
});

test('one message under two ids is doubled', () => {
  const { ledger, log } = answered();
  expect(kindsOf(ledger, [...log, { ...logged(1), messageId: 'another' }])).toEqual(['doubled on the log']);
});

test('an order other than that of the answers is found', () => {
  const { ledger, log } = answered();
  expect(kindsOf(ledger, log.toReversed())).toEqual(['out of order on the log']);
});

test('what was refused, and what nobody sent, is found', () => {
  const { ledger, log } = answered();
  ledger.add({ ...SENT, content: '{"n":3}' });
  ledger.refused(3);
  expect(kindsOf(ledger, [...log, logged(3)])).toEqual(['on the log though never sent or refused']);
  expect(kindsOf(ledger, [...log, logged(4)])).toEqual(['on the log though never sent or refused']);
});

test.each([-1n, 1n])('an arrival that is a year off is found', (sign) => {
  const { ledger, log } = answered();
  const inAYear = NOW + sign * 31_536_000_000_000n;
  const changed = log.map((message, n) => (n === 2 ? logged(2, message.content, inAYear) : message));
  expect(kindsOf(ledger, changed)).toEqual(['dated years off']);
});

test('a version that its times do not make is found', () => {
  const { ledger, log } = answered();
  const changed = log.map((message, n) => (n === 2 ? { ...message, version: logged(1).version } : message));
  expect(kindsOf(ledger, changed)).toEqual(['wrong version']);
});
