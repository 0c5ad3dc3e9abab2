import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QueryBudget } from '../../../services/questions/query-budget.ts';
import { changeOf, fold } from '../../../services/consumers/projector/fold.ts';
import type { Identify, Session } from '../../../services/messages/message.ts';
import { type GivenValue, readTraitHistory, stateOf } from '../../../services/questions/users/trait-history.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { propertyRun } from '../../support/property-run.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const NOON = BigInt(Date.UTC(2026, 10, 20, 12)) * 1000n;
const HOUR = 3_600_000_000n;
const ABOVE_ALL = 2n ** 128n - 1n;
const NAMES = ['plan', 'a.b', '😀"\\'];
const VALUES = ['null', '"pro"', 'true', '9007199254740993.10', '1e400', '[null,{"":1}]', '{"null":null}', '""'];

const histories = fc.uniqueArray(
  fc.record({
    arrival: fc.nat(40),
    /** How long before its arrival it took place; below 0 its clock was wrong. */
    age: fc.constantFrom(-HOUR, 0n, 1n, HOUR, 2n * HOUR, 900n * HOUR),
    isSession: fc.boolean(),
    traits: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES), { maxKeys: 3 }),
  }),
  { selector: ({ arrival }) => arrival, minLength: 1, maxLength: 15 },
);

type Setting = Identify | Session;

describe.each(await testedAnalytics())('the history of a trait, in $name', (tested) => {
  const store = sharedStore(tested);

  async function historyOf({ projectId, userKey }: Setting, trait: string, limit: number): Promise<GivenValue[]> {
    const all: GivenValue[] = [];
    for (let below: bigint | null = ABOVE_ALL; below !== null;) {
      const budget: QueryBudget = new QueryBudget(store(), AMPLE);
      const page: Awaited<ReturnType<typeof readTraitHistory>> = await readTraitHistory(
        budget,
        { projectId, userKey, trait },
        below,
        limit,
      );
      all.push(...page.values);
      below = page.next;
    }
    return all;
  }

  test('its winner is what the projector folds, and every other value names a newer one', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 20 }), fc.nat(), async (history, limit, choice) => {
        const make = new MessageMaker();
        const messages = history.map(({ arrival, age, isSession, traits }) => {
          const receivedAt = NOON + BigInt(arrival) * HOUR;
          const text = Object.entries(traits).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
          const given = { receivedAt, timestamp: receivedAt - age, traits: `{${text.join(',')}}` };
          return isSession ? make.session(given) : make.identify(given);
        });
        const cut = choice % messages.length;
        await insert(store(), messages.slice(cut), BigInt(cut));
        await insert(store(), messages.slice(0, cut + 1));
        const [folded] = fold(messages.map(changeOf));

        for (const name of NAMES) {
          const listed = await historyOf(messages[0] as Setting, name, limit);
          const mentioning = messages.filter(({ traits }) => name in (JSON.parse(traits) as object));

          expect(listed.map(({ version }) => hex(version))).toEqual(versionsOf(mentioning).toReversed());
          expect(listed[0]?.value).toBe(folded?.traits.get(name)?.value ?? (listed.length > 0 ? 'null' : undefined));
          for (const value of listed) expectExplained(value, mentioning);
        }
      }),
      propertyRun(15 * tested.share),
    );
  }, 240_000);

  test('a page of large values is short and none is missing', async () => {
    const make = new MessageMaker();
    const messages = Array.from({ length: 7 }, (_, n) =>
      make.identify({ traits: JSON.stringify({ plan: `${n}${'x'.repeat(3_000_000)}` }) }),
    );
    for (const [index, message] of messages.entries()) await insert(store(), [message], BigInt(index));
    const trait = { projectId: make.projectId, userKey: (messages[0] as Setting).userKey, trait: 'plan' };

    const page = await readTraitHistory(new QueryBudget(store(), AMPLE), trait, ABOVE_ALL, 50);
    const all = await historyOf(messages[0] as Setting, 'plan', 50);

    expect(page.values).toHaveLength(2);
    expect(all.map(({ value }) => value.slice(1, 2))).toEqual(['6', '5', '4', '3', '2', '1', '0']);
  });
});

function expectExplained(given: GivenValue, mentioning: readonly Setting[]): void {
  const setting = mentioning.find(({ version }) => version === hex(given.version));
  const newer = mentioning.filter(({ version }) => version > hex(given.version));
  const [firstNewer] = newer.toSorted((a, b) => (a.receivedAt < b.receivedAt ? -1 : 1));
  const { messageId, type, timestamp, receivedAt } = setting as Setting;
  expect(given.message).toEqual({ messageId, type, timestamp, receivedAt });
  expect(given.newer?.message?.messageId).toBe(firstNewer?.messageId);
  const isLost = newer.some((other) => other.receivedAt < receivedAt);
  expect(stateOf(given)).toBe(firstNewer === undefined ? 'current' : isLost ? 'lost' : 'replaced');
}

function versionsOf(messages: readonly Setting[]): string[] {
  return messages.map(({ version }) => version).toSorted();
}

function hex(version: bigint): string {
  return version.toString(16).padStart(32, '0');
}
