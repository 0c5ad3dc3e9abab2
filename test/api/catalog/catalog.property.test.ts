import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../services/messages/message.ts';
import { Catalog } from '../../../services/questions/catalog/catalog.ts';
import {
  type CatalogMember,
  type CatalogName,
  eventNamesOf,
  eventNamesQuery,
  propertiesOf,
  propertiesQuery,
  traitsOf,
  traitsQuery,
} from '../../../services/stores/analytics/catalog.ts';
import type { AnalyticsStore, Query } from '../../../services/stores/analytics/analytics-store.ts';
import type { ClickHouseStore } from '../../../services/stores/analytics/clickhouse/clickhouse-store.ts';
import { AMPLE, insert, MessageMaker } from '../../support/stores/analytics.ts';
import { sharedStore } from '../../support/stores/analytics-stores.ts';
import {
  byName,
  naiveEvents,
  naiveProperties,
  naiveTraits,
  type NaiveEntry,
} from '../../support/messages/naive-catalog.ts';
import { propertyRun } from '../../support/property-run.ts';
import { historyAndDefinitions, insertHistory } from '../../support/messages/random-history.ts';
import { PROJECT } from '../../support/http/reading-server.ts';
import { testedAnalytics } from '../../support/stores/tested-analytics.ts';

const MOST = 1_000;

function plain(entries: readonly (CatalogName & Partial<Pick<CatalogMember, 'types'>>)[]): readonly NaiveEntry[] {
  return byName(
    entries.map(({ name, count, firstSeen, lastSeen, types = [] }) => {
      return { name, count, firstSeen, lastSeen, types: Object.fromEntries(types) };
    }),
  );
}

/** Each message once, as a catalog of few messages counts. */
async function expectExact(store: AnalyticsStore, messages: readonly Message[]): Promise<void> {
  const project = { ...PROJECT, id: messages[0]!.projectId };
  const catalog = new Catalog({ analytics: store, limitsOf: () => AMPLE });
  const events = await catalog.events(project);
  expect(events).toMatchObject({ isExact: true, isTruncated: false });
  expect(plain(events.entries)).toEqual(naiveEvents(messages));
  expect(plain((await catalog.traits(project)).entries)).toEqual(naiveTraits(messages));
  for (const event of events.entries) {
    const properties = await catalog.properties(project, event.name);
    expect(properties?.event).toEqual(event);
    expect(plain(properties?.entries ?? [])).toEqual(naiveProperties(messages, event.name));
  }
}

/** As a catalog of many messages counts: from the projections alone. */
async function kept(store: AnalyticsStore, projectId: string) {
  const ask = async (query: Query): Promise<readonly unknown[]> => (await store.ask(query, AMPLE)).rows;
  const events = eventNamesOf(await ask(eventNamesQuery(projectId, MOST, false)));
  const traits = traitsOf(await ask(traitsQuery(projectId, MOST, false)));
  const properties = new Map<string, readonly NaiveEntry[]>();
  for (const { name } of events) {
    const found = propertiesOf(name, await ask(propertiesQuery(projectId, name, MOST, false)));
    properties.set(name, plain(found?.properties ?? []));
  }
  return { events: plain(events), traits: plain(traits), properties };
}

async function merge(store: AnalyticsStore): Promise<void> {
  for (const table of ['track_rows', 'trait_rows'])
    await (store as ClickHouseStore).define(`OPTIMIZE TABLE ${table} FINAL`);
}

function sumOf(entries: readonly NaiveEntry[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}

describe.each(await testedAnalytics())('a catalog in $name', (tested) => {
  const store = sharedStore(tested);

  test('a catalog counts what a count of every message finds, repeats and double inserts included', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(1), async ([past]) => {
        await expectExact(store(), await insertHistory(store(), past));
      }),
      propertyRun(4 * tested.share),
    );
  }, 240_000);

  test('what is kept for a catalog counts no copy more often than it is stored, and once when it is merged', async () => {
    await fc.assert(
      fc.asyncProperty(historyAndDefinitions(1), async ([past]) => {
        const messages = await insertHistory(store(), past);
        const [{ projectId }, naive] = [messages[0]!, naiveEvents(messages)];

        const before = await kept(store(), projectId);
        await merge(store());
        const merged = await kept(store(), projectId);

        expect(before.events.map(({ name }) => name)).toEqual(naive.map(({ name }) => name));
        for (const [index, { count }] of naive.entries())
          expect(before.events[index]?.count).toBeGreaterThanOrEqual(count);
        // One of the chunks was inserted twice.
        expect(sumOf(before.events)).toBeLessThanOrEqual(2 * messages.length);
        expect(merged.events).toEqual(naive);
        expect(merged.traits).toEqual(naiveTraits(messages));
        for (const [event, properties] of merged.properties)
          expect(properties).toEqual(naiveProperties(messages, event));
      }),
      propertyRun(3 * tested.share),
    );
  }, 240_000);

  test('questions about many events are answered from what is kept for the catalog', async () => {
    const reads = async (query: Query): Promise<string> => {
      const { rows } = await store().ask({ ...query, sql: `EXPLAIN ${query.sql}` }, AMPLE);
      return rows.map(({ explain }) => String(explain)).find((line) => line.includes('ReadFrom')) ?? '';
    };

    const make = new MessageMaker();
    const { projectId } = make;
    await insert(store(), [make.track({ event: 'Ran' })]);

    expect(await reads(eventNamesQuery(projectId, MOST, false))).toContain('(catalog_counts)');
    expect(await reads(propertiesQuery(projectId, 'Ran', MOST, false))).toContain('(catalog_counts)');
  });
});
