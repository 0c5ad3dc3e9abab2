import { expect, test } from 'vitest';
import { makesStores, readyText, startingText } from '../../services/app/start-messages.ts';
import { readConfig } from '../../services/runtime/config.ts';

const SERVERS = {
  EVENT_LOG_URL: 'kafka://127.0.0.1:9092',
  PROFILES_URL: 'postgres://a:b@127.0.0.1/x',
  ANALYTICS_URL: 'http://a:b@127.0.0.1/x',
};

test('a start names its address, its role and how long it may take', () => {
  const config = readConfig({ HOST: '::1', ...SERVERS });
  const facts = { version: '1.2.3', role: 'sink', config, makesStores: false } as const;

  expect(startingText(facts)).toBe(
    'Starting Tidemark 1.2.3, role sink, on http://[::1]:8080; it is ready as soon as its servers answer.\n',
  );
});

test('a role that does without an embedded store makes none', () => {
  const config = readConfig({ ...SERVERS, EVENT_LOG_URL: '', DATA_DIR: '/nowhere' });
  const starting = startingText({
    version: '1.2.3',
    role: 'webhooks',
    config,
    makesStores: makesStores('webhooks', config),
  });

  expect(starting).toContain('ready as soon as its servers answer');
  expect(makesStores('all', config)).toBe(true);
});

test('a ready service names ten projects at most, and how to make a key of one of them', () => {
  const projects = Array.from({ length: 12 }, (_, n) => `shop ${n}`);

  const text = readyText({ version: '1.2.3', role: 'all', address: 'http://127.0.0.1:8080', projects, console: true });

  expect(text).toContain('"shop 9" and 2 more\n');
  expect(text).toContain('./tidemark key create --project PROJECT --scope read\n');
});
