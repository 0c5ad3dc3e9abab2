import { expect, test } from 'vitest';
import { newProjectDefaults } from '../../services/app/stores.ts';
import { readConfig } from '../../services/runtime/config.ts';

test('a new project joins ids, but not on a cluster of ClickHouse', () => {
  const on = (url: string) => newProjectDefaults(readConfig({ ANALYTICS_URL: url, TIMEZONE: 'Europe/Berlin' }));

  expect(newProjectDefaults(readConfig({}))).toEqual({ timezone: 'UTC', joinIds: true, keepEventsMonths: null });
  expect(on('http://127.0.0.1:9/x').joinIds).toBe(true);
  expect(on('http://127.0.0.1:9/x?cluster=blue').joinIds).toBe(false);
});
