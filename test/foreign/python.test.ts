import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Message, topicOf } from '../../services/messages/message.ts';
import { partitionKeyOf } from '../../services/messages/user-key.ts';
import { serverUrl } from '../servers/server.ts';
import { RegistryGate } from '../support/event-log/registry-gate.ts';
import {
  anyMessage,
  AUDIENCE_CHANGE,
  DEAD_LETTER,
  IDENTIFY,
  SESSION,
  TRACK,
} from '../support/messages/sample-messages.ts';
import { changeFieldsOf, deadLetterFieldsOf, fieldsOf, isoOf } from './fields.ts';
import { type ForeignLog, writeForeignLog } from './foreign-log.ts';
import { codeOnPage } from './page.ts';
import { pythonWithKafka } from './python.ts';

const [kafka, registry, python] = await Promise.all([serverUrl('kafka'), serverUrl('registry'), pythonWithKafka()]);

const FORGOTTEN = { change: 'forgotten', audience: null, cause: null, person: null, traits: null } as const;
const CHANGES = [AUDIENCE_CHANGE, { ...AUDIENCE_CHANGE, ...FORGOTTEN }];

/** Topic, key, fields. */
type Line = readonly [string, string, unknown];

describe.skipIf(!kafka || !registry || !python)("Confluent's Python client", () => {
  test('the Python client reads every field of every topic as it was written', async () => {
    const messages: Message[] = [IDENTIFY, TRACK, SESSION, ...fc.sample(anyMessage, 300)];
    const log = await writeForeignLog(kafka!, registry!, messages, [DEAD_LETTER], CHANGES);
    const expected: Line[] = messages.map((message) => [
      `${log.prefix}${topicOf(message)}`,
      Buffer.from(partitionKeyOf(message)).toString(),
      fieldsOf(message, { time: isoOf }),
    ]);
    const deadKey = Buffer.from(DEAD_LETTER.key).toString();
    expected.push([`${log.prefix}tidemark.dead-letter`, deadKey, deadLetterFieldsOf(DEAD_LETTER, { time: isoOf })]);

    for (const change of CHANGES) {
      const key = Buffer.from(partitionKeyOf(change)).toString();
      expected.push([`${log.prefix}tidemark.audience-change`, key, changeFieldsOf(change, { time: isoOf })]);
    }

    const lines = await readByPython(log, expected.length);

    // Partitions come in any order.
    expect(sorted(lines)).toEqual(sorted(expected));
  });
});

/** The lines that the program of the page prints for the first `count` records. */
async function readByPython({ brokers, prefix }: ForeignLog, count: number): Promise<Line[]> {
  const gate = await RegistryGate.open(registry!, { credentials: { user: 'py', password: 'thon' } });
  const code = codeOnPage('python', {
    'localhost:9092': brokers,
    '"http://localhost:8081"': `"${gate.url({ user: '', password: '' })}", "basic.auth.user.info": "py:thon"`,
    '"tidemark.': `"${prefix}tidemark.`,
  });
  const child = spawn(python!, ['-c', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  });
  const lines: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line, exactly) as Line);
    if (lines.length === count) break;
  }
  return lines;
}

/** Integers that a double does not hold, as bigints. */
function exactly(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source ?? '') : value;
}

function sorted(lines: readonly Line[]): string[] {
  return lines.map((line) => JSON.stringify(line, withoutOrder)).sort();
}

function withoutOrder(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
