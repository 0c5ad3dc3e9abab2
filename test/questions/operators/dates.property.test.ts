import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { END_OF_TIME, formatMicros } from '../../../services/messages/timestamp.ts';
import type { Message, Micros } from '../../../services/messages/message.ts';
import { readDefinition } from '../../../services/questions/definition/definition.ts';
import { compileMembership } from '../../../services/questions/sql/compile-members.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { audienceOf } from '../../support/messages/naive-audience.ts';
import { exactly } from '../../support/messages/random-history.ts';
import { propertyRun } from '../../support/property-run.ts';
import { testedAnalytics, testedShards } from '../../support/stores/tested-analytics.ts';

const DAY = 86_400_000_000n;
/** Evaluations: a plain day, the days on which clocks are changed, leap days, the last days of a year. */
const NOWS = [
  '2026-11-20T12:00:00Z',
  '2026-03-29T00:30:00Z',
  '2026-10-25T00:59:59.999999Z',
  '2024-02-29T06:00:00Z',
].concat(['2027-02-28T23:30:00Z', '2026-12-31T23:59:00Z', '1970-01-01T00:00:00Z']);
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'];

const question = fc.record({ now: fc.constantFrom(...NOWS).map(microsOf), timezone: fc.constantFrom(...ZONES) });

/** Dates written in every way, most of them within some days of an instant or of its anniversary. */
function dateText(now: Micros): fc.Arbitrary<string> {
  const instant = fc.oneof(
    fc
      .tuple(fc.bigInt(-9n * 96n, 9n * 96n), fc.bigInt(-1n, 1n))
      .map(([quarters, one]) => now + quarters * (DAY / 96n) + one),
    fc.tuple(fc.integer({ min: 1900, max: 2299 }), fc.bigInt(-3n, 3n)).map(([year, days]) => {
      const moved = `${year}${formatMicros(now + days * DAY).slice(4)}`;
      return Number.isNaN(Date.parse(moved)) ? now : microsOf(moved);
    }),
  );
  const part = fc.constantFrom(10, 16, 19, 23, 26);
  const offset = fc.constantFrom(
    ...'||Z|z|+00:00|+02:00|-0330|+14|-11:59|+25:00| UTC| GMT|UTC| Z|:Z| +0000| -03|  +05:30| utc| CET'.split('|'),
  );
  const between = fc.constantFrom('T', 'T', ' ', ' ', '  ', '\t', '_');
  const written = fc.tuple(instant, part, offset, between).map(([at, length, zone, sign]) => {
    const text = formatMicros(at < END_OF_TIME ? at : now).slice(0, length);
    return length === 10 ? text : text.replace('T', sign) + zone;
  });
  const odd = fc.constantFrom(
    '2026-02-30',
    '2025-02-29',
    '2024-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-11-20T24:00',
    '2026-11-20T12:60',
    '2026-11-20T12:00:60',
    '2026-11-20T12:00:61',
    '2026-11-20 12:00',
    '2026-11-20T',
    '2026-11-2',
    '',
    '90d',
    '1899-12-31T23:30-01:00',
    '1900-01-01',
    '2299-12-31T23:59-01:00',
    '2300-01-01',
    '0001-01-01',
    '9999-12-31',
    '2026-11-20T12:00:00,5',
    '2026-11-20t12:00:00.123456789Z',
    '2026-11-20\n',
    ' 2026-11-20',
    '２026-11-20',
  );
  return fc.oneof({ weight: 6, arbitrary: written }, { weight: 1, arbitrary: odd }).map((text) => JSON.stringify(text));
}

function epochNumber(now: Micros): fc.Arbitrary<string> {
  const near = fc.bigInt(-9n * DAY, 9n * DAY).map((away) => now + away);
  return fc.oneof(
    near.map((at) => String(at / 1_000_000n)),
    near.map((at) => String(Number(at) / 1_000_000)),
    near.map((at) => String(at / 1_000n)),
    near.map((at) => String(Number(at) / 1_000)),
    fc.constantFrom('0', '-1', '1e300', '-2208988800', '-2208988801', '10413792000', '9223372036854775807', '0.1'),
  );
}

function definition(now: Micros): fc.Arbitrary<string> {
  const at = fc.oneof(
    fc.bigInt(-9n * 96n, 9n * 96n).map((quarters) => formatMicros(now + quarters * (DAY / 96n))),
    fc.bigInt(-9n, 9n).map((days) => formatMicros(now + days * DAY).slice(0, 10)),
    fc.constantFrom('1h', '7d', '+1h', '+3d', '999999w', '+999999w'),
  );
  const duration = fc.constantFrom('1h', '12h', '1d', '7d', '100d', '366d');
  const when = fc.oneof(
    duration.map((last) => ({ last })),
    duration.map((next) => ({ next })),
    at.map((since) => ({ since })),
    at.map((before) => ({ before })),
    fc.constant({ anniversary: 'today' }),
    duration.map((next) => ({ anniversary: { next } })),
  );
  const epoch = fc.constantFrom({}, {}, { epoch: 'seconds' }, { epoch: 'milliseconds' });
  return fc
    .tuple(when, epoch, fc.constantFrom('whole', 'nested', 'property', "pro'perty"))
    .map(([one, unit, path]) => JSON.stringify(conditionAt(path, { ...one, ...unit })));
}

function conditionAt(path: string, date: object): object {
  if (path === 'whole') return { trait: 'at', date };
  if (path === 'nested') return { trait: ['in', 'at'], date };
  return { event: 'Dated', where: [{ property: path, date }] };
}

describe.each([...(await testedAnalytics()), ...(await testedShards(0.2)).slice(0, 1)])('dates in $name', (tested) => {
  const store = sharedStore(tested);

  test('the users whose dates pass are those that a calendar finds, in every time zone', async () => {
    const run = question.chain(({ now, timezone }) =>
      fc.record({
        now: fc.constant(now),
        timezone: fc.constant(timezone),
        values: fc.array(fc.oneof({ weight: 3, arbitrary: dateText(now) }, epochNumber(now)), {
          minLength: 100,
          maxLength: 100,
        }),
        definitions: fc.array(definition(now), { minLength: 10, maxLength: 10 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.noShrink(run), async ({ now, timezone, values, definitions }) => {
        const messages = await insertDates(values);
        for (const text of definitions) await expectAgreement({ text, timezone, now }, messages);
      }),
      propertyRun(4 * tested.share),
    );
  }, 240_000);

  async function insertDates(values: readonly string[]): Promise<readonly Message[]> {
    const make = new MessageMaker();
    const messages = values.flatMap((value, index) => [
      make.identify({ userId: `user ${index}`, traits: `{"at":${value},"in":{"at":${value}}}` }),
      make.track({ userId: `user ${index}`, event: 'Dated', properties: `{"property":${value},"pro'perty":${value}}` }),
    ]);
    await insert(store(), messages);
    return messages;
  }

  async function expectAgreement(
    { text, timezone, now }: { text: string; timezone: string; now: Micros },
    messages: readonly Message[],
  ): Promise<void> {
    const read = readDefinition(exactly(text), { timezone });
    if (!read.ok) throw new Error(`${text}: ${read.problems[0]?.message}`);
    const expected = audienceOf(read.definition, messages, now);

    const query = compileMembership(read.definition, { projectId: messages[0]!.projectId, now });
    const { rows } = await store().ask(query, AMPLE);

    const wrong = rows
      .filter((row) => Boolean(row['is_in']) !== expected.has(String(row['internal_id'])))
      .map((row) => valueOf(messages, String(row['internal_id'])));
    expect({ text, timezone, now: formatMicros(now), wrong }).toEqual({
      text,
      timezone,
      now: formatMicros(now),
      wrong: [],
    });
  }
});

function valueOf(messages: readonly Message[], user: string): string | undefined {
  const found = messages.find(({ userKey, type }) => userKey === user && type === 'track');
  return found?.type === 'track' ? found.properties : undefined;
}

function microsOf(text: string): Micros {
  return BigInt(Date.parse(text.slice(0, 19) + 'Z')) * 1000n + BigInt((text.slice(20, -1) || '0').padEnd(6, '0'));
}
