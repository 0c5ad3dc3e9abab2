import { expect, test } from 'vitest';
import { Findings } from '../check/findings.ts';
import { type Expected, Ledger } from '../check/ledger.ts';
import type { LoggedMessage } from '../check/model.ts';
import { TraitsTold } from '../check/traits-told.ts';
import { BackedUp } from './backed-up.ts';

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
const COUNT = 6;
/** The backup has the first four. */
const END = 4n;

function logged(n: number, more: Partial<LoggedMessage> = {}): LoggedMessage {
  const { kind: _, timestamp: __, isRepeat: ___, ...sent } = SENT;
  return {
    ...sent,
    topic: 'tidemark.track',
    partition: 0,
    offset: BigInt(n),
    messageId: `id ${n}`,
    messageIdGiven: false,
    timestamp: 0n,
    receivedAt: 0n,
    version: '0',
    content: `{"n":${n}}`,
    ...more,
  };
}

/** A log of six messages, all answered but the last of the backup, and what its backup has. */
function backedUp(): { backup: BackedUp; ledger: Ledger; log: LoggedMessage[] } {
  const [ledger, backup] = [new Ledger(), new BackedUp({ ends: new Map([['tidemark.track/0', END]]), forgotten: 'f' })];
  const log = Array.from({ length: COUNT }, (_, n) => logged(n));
  for (const [n, message] of log.entries()) {
    ledger.add({ ...SENT, content: message.content });
    if (n !== 3) ledger.answered(n, `id ${n}`);
    backup.add(message);
  }
  return { backup, ledger, log };
}

/** What is found in a restored log. */
function found(restored: (log: LoggedMessage[]) => readonly LoggedMessage[]): object {
  const [{ backup, ledger, log }, findings] = [backedUp(), new Findings()];
  backup.rewind({ ledger, told: new TraitsTold() });
  for (const message of restored(log)) backup.check(message, findings);
  backup.finish(findings);
  return Object.fromEntries(findings.kinds.map((kind) => [kind, findings.count(kind)]));
}

test('a log that was restored up to the ends of the backup and went on is right', () => {
  expect(found((log) => [...log.slice(0, 4), logged(6, { offset: 4n }), logged(7, { offset: 5n })])).toEqual({});
});

test.each<[string, (log: LoggedMessage[]) => readonly LoggedMessage[]]>([
  ['is missing', (log) => log.slice(0, 3)],
  ['is another one', (log) => [...log.slice(0, 3), logged(3, { receivedAt: 1n })]],
  ['is there though it came after the backup', (log) => log.slice(0, 5)],
])('a message that %s is found out', (_, restored) => {
  expect(found(restored)).toEqual({ 'other than backed up': 1 });
});

test('a record of somebody who was forgotten is found out', () => {
  const restored = found((log) => [logged(0, { projectId: 'f' }), ...log.slice(1, 4)]);

  expect(restored).toEqual({ 'forgotten and there again': 1, 'other than backed up': 1 });
});

test('callers remember of the messages before a restore those alone that the backup has', () => {
  const { backup, ledger } = backedUp();

  backup.rewind({ ledger, told: new TraitsTold() });

  const outcomes = Array.from({ length: COUNT }, (_, n) => ledger.outcome(n));
  expect(outcomes).toEqual(['answered', 'answered', 'answered', 'unknown', 'refused', 'refused']);
  expect(backup).toMatchObject({ messages: 4, lost: 2 });
});

test('the traits that are left are those of messages that the backup has, answered or not', () => {
  const { backup, ledger } = backedUp();
  const told = new TraitsTold();
  for (const n of [1, 3, 4]) told.sent('ada', 'told one', { n, micros: BigInt(n), value: `"${n}"` });
  told.answered('ada', 'told one', 4);

  const left = backup.rewind({ ledger, told });

  expect([...told.all()].map(({ values }) => values)).toEqual([['"4"']]);
  expect([...left.all()].map(({ values }) => values)).toEqual([['"3"']]);
});
