/** The list of places that keep something of people is compared with what there is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SCHEMA_TOPICS } from '../../../services/messages/message.ts';
import {
  ANALYTICS_TABLES,
  DATA,
  LOG_TOPICS,
  MEMORY,
  placesBy,
  POSTGRES_TABLES,
} from '../../../services/stores/erasures/places.ts';
import { startedService } from '../../support/service/shared-service.ts';
import { testedForms } from '../../support/service/tested-forms.ts';
import { sharedInstallation } from '../../support/service/whole-installation.ts';
import { ask } from '../../support/stores/analytics.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SERVICES = join(import.meta.dirname, '../../../services');

describe.each(await testedForms())('the places that keep something of people, $form', ({ form }) => {
  const installation = sharedInstallation(form);

  test('every table of Postgres is among them, and those with rows of people have the internal id', async () => {
    const { database } = installation();
    const columns = await database.query<{ readonly name: string; readonly columns: readonly string[] }>(
      `select c.table_name::text as name, array_agg(c.column_name::text) as columns
       from information_schema.columns c where c.table_schema = current_schema() group by 1`,
    );

    expect(columns.map(({ name }) => name).toSorted()).toEqual(Object.keys(POSTGRES_TABLES).toSorted());
    const ofUsers = columns.filter((one) => one.columns.includes('user_key')).map(({ name }) => name);
    expect(ofUsers.toSorted()).toEqual(
      [
        ...placesBy(POSTGRES_TABLES, 'rows'),
        ...placesBy(POSTGRES_TABLES, 'letters'),
        'erased_events',
        'erasures',
      ].toSorted(),
    );
    for (const { name, columns: found } of columns)
      expect(found, name).toEqual(expect.arrayContaining(Object.keys(POSTGRES_TABLES[name]?.texts ?? {})));
  });

  test('every table of ClickHouse is among them, and those with rows of people name the user', async () => {
    const tables = await ask<{ readonly name: string; readonly is_of_users: number }>(
      installation().analytics,
      `SELECT name, hasAny((SELECT groupArray(c.name) FROM system.columns AS c
                            WHERE c.database = currentDatabase() AND c.table = t.name), ['user', 'internal_id']) AS is_of_users
       FROM system.tables AS t
       WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name NOT LIKE '.%' AND name NOT LIKE '%migrations%'`,
    );

    const named = tables.map(({ name }) => name.replace(/_(?:local|shard)$/, ''));
    expect(named.toSorted()).toEqual(Object.keys(ANALYTICS_TABLES).toSorted());
    const ofUsers = named.filter((_, index) => Number(tables[index]?.is_of_users) === 1);
    expect(ofUsers.toSorted()).toEqual([...placesBy(ANALYTICS_TABLES, 'rows')].toSorted());
  });
});

test('every topic is among them', () => {
  expect(Object.keys(LOG_TOPICS).toSorted()).toEqual([...SCHEMA_TOPICS].toSorted());
});

test('everything in the data folder of a service is among them', async () => {
  const folder = await temporaryFolder();
  await startedService(folder);

  expect(readdirSync(folder).filter((name) => !name.startsWith('.lock') && !(name in DATA))).toEqual([]);
});

/** A list of a class, which may outlive a request. */
const LIST = /^ {2}(?:readonly )?#\w+(?:: [^=\n]+)? = new Map\b/mu;

test('whatever may hold something of people between requests is among them', () => {
  const found = ['questions', 'api', 'webhooks', 'ingest'].flatMap((folder) =>
    readdirSync(join(SERVICES, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(SERVICES, folder, name))
      .filter((path) => LIST.test(readFileSync(path, 'utf8')))
      .map((path) => relative(SERVICES, path)),
  );

  expect(found.toSorted()).toEqual(Object.keys(MEMORY).toSorted());
});
