import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { userRoutes } from '../../../services/api/users/routes.ts';
import type { Call } from '../../../services/http/call.ts';
import { insertProfile } from '../../support/http/inserted-rows.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { propertyRun } from '../../support/property-run.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import { SqlAudienceStore } from '../../../services/questions/saved/sql-audience-store.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import { sharedDatabase } from '../../support/stores/database.ts';
import { testedAnalytics, testedShards } from '../../support/stores/tested-analytics.ts';

/** Each in the ways in which it may be written. */
const SPELLINGS = [
  ['a', 'A'],
  ['é', 'É', 'e\u0301', 'E\u0301'],
  ['ế', '\u00ea\u0301', 'E\u0302\u0301'],
  ['ж', 'Ж'],
  ['σ', 'ς', 'Σ'],
  ['ß', 'ẞ'],
  ['k', 'K', '\u212a'],
  ['å', 'Å', '\u212b'],
  ['i\u0307', 'İ'],
  ...['b', '%', '_', '\\', "'", '\u{1f600}'].map((one) => [one]),
];
const LETTERS = SPELLINGS.flat();
const text = (minLength: number) => fc.string({ unit: fc.constantFrom(...LETTERS), minLength, maxLength: 4 });
const person = fc.record({ userId: text(1), name: text(0), before: text(0), company: text(0), city: text(0) });
const searches = fc.record({
  people: fc.uniqueArray(person, { selector: ({ userId }) => userId, minLength: 1, maxLength: 20 }),
  part: text(1),
  limit: fc.integer({ min: 1, max: 5 }),
});

describe.each([...(await testedAnalytics()), ...(await testedShards(0.1))])('a search in $name', (tested) => {
  const store = sharedStore(tested);
  const database = sharedDatabase();
  const unlimited = { admitWhole: () => undefined };

  async function usersWith(part: string, limit: number, projectId: string) {
    const parts = {
      profiles: new SqlProfileStore(database(), 1),
      analytics: store(),
      limitsOf: () => AMPLE,
      saved: new SqlAudienceStore(database(), 100),
      nowMs: Date.now,
    };
    const route = userRoutes({ ...parts, catalog: new Catalog(parts) }, unlimited, unlimited).find(
      ({ path }) => path === '/v1/users',
    );
    const project = { ...PROJECT, id: projectId, searchTraits: ['name', 'company'] };
    const query = new URLSearchParams({ search: part, limit: String(limit) });
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; query.set('cursor', cursor ?? '')) {
      const answer = await route?.handle({ project, params: {}, query, text: '' } as unknown as Call);
      if (answer === undefined || 'refused' in answer || typeof answer.body !== 'string') throw new Error('no page');
      const page = JSON.parse(answer.body) as { users: { user_id: string }[]; next_cursor: string | null };
      expect(page.users.length).toBeLessThanOrEqual(limit);
      found.push(...page.users.map(({ user_id: id }) => id));
      cursor = page.next_cursor;
    }
    return found;
  }

  test('a search has every user with the text in an id or a search trait once, whatever its case, however it is paged', async () => {
    await fc.assert(
      fc.asyncProperty(searches, async ({ people, part, limit }) => {
        const make = new MessageMaker();
        const earlier = people.map(({ userId, before }) =>
          make.identify({ userId, traits: JSON.stringify({ name: before }) }),
        );
        const later = people.map(({ userId, name, company, city }) =>
          make.identify({ userId, traits: JSON.stringify({ name, company, city, email: part }) }),
        );
        for (const { userId, userKey, traits, projectId } of later)
          await insertProfile(database(), { projectId, userKey, userId, traits, ...SEEN });
        await insert(store(), [...earlier, ...later]);
        await insert(store(), later.slice(0, 5), 100n);
        await insert(store(), [new MessageMaker().identify({ userId: part })]);

        const found = await usersWith(part, limit, make.projectId);

        const has = (value: string): boolean => alike(value).includes(alike(part));
        const expected = people.filter(({ userId, name, company }) => [userId, name, company].some(has));
        expect(found.toSorted()).toEqual(expected.map(({ userId }) => userId).toSorted());
      }),
      propertyRun(15 * tested.share),
    );
  }, 240_000);
});

/** The same for two texts that are spelled otherwise. */
function alike(value: string): string {
  const letters = new RegExp(
    LETTERS.toSorted((one, other) => other.length - one.length)
      .join('|')
      .replace('\\', '\\\\'),
    'gu',
  );
  return value.replaceAll(letters, (letter) => `,${SPELLINGS.findIndex((some) => some.includes(letter))},`);
}

const SEEN = { anonymous: null, anonymousIds: [], joinedIds: null, firstSeen: 0n, lastSeen: 0n };
