import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { composeOf, readCompose } from '../support/service/compose.ts';
import { madeSecrets, compositionProblems } from './composed.ts';

const FILES = ['docker-compose.yml', 'deploy/three.yml'];
const secrets = madeSecrets();

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  test('each process is a user of few rights, each secret a file for whom needs it, and each mount is there', () => {
    expect(compositionProblems(readCompose(file), secrets)).toEqual([]);
  });

  test.each([
    [
      'a superuser in an address',
      /PROFILES_URL_FILE: .*/,
      'PROFILES_URL: postgres://tidemark:p@postgres/tidemark',
      'in PROFILES_URL it is the user tidemark, not tidemark_admin',
    ],
    [
      'the user of another role',
      /(PROFILES_URL_FILE: .*-)\w+/,
      '$1sink',
      'in PROFILES_URL it is the user tidemark_sink, not tidemark_',
    ],
    [
      'a secret that its process is not given',
      /(PROFILES_URL_FILE: .*-)\w+/,
      '$1sink',
      'not given the secret profiles-',
    ],
    ['a secret that is given in vain', /PROFILES_URL_FILE: .*/, '', 'it has no use for the secret profiles-url-'],
    [
      'a secret that no script makes',
      /(\n {2}postgres-password: .*secrets\/)postgres/,
      '$1postgresql',
      'no secret is made as secrets/postgresql-password',
    ],
    ['a secret that nobody uses', /\n$/, '\n  more: { file: ./secrets/more }\n', 'nobody is given more'],
    [
      'a secret that is not declared',
      /\n {2}profiles-url-admin: .*/,
      '',
      'the secret profiles-url-admin is not declared',
    ],
    [
      'a password in the clear',
      /(\n {4}environment:\n)/,
      '$1      POSTGRES_PASSWORD: abc\n',
      'POSTGRES_PASSWORD stands in the clear',
    ],
    [
      'a mount of a file that is not there',
      /volumes: \['\w+:\/data'\]/,
      "volumes: ['./absent.sql:/x:ro']",
      'absent.sql to mount',
    ],
  ])('%s is a problem', (_, from, to, problem) => {
    expect(text).toMatch(from);

    const problems = compositionProblems(composeOf(text.replace(from, to), dirname(file)), secrets);

    expect(problems.join('\n')).toContain(problem);
  });
});

test('secrets that are there stay, and passwords of before are taken over', () => {
  const before = { POSTGRES_PASSWORD: 'p'.repeat(32), INITIAL_ADMIN_KEY: 'k'.repeat(32) };

  const made = madeSecrets(before, 2);

  expect([...made.keys()]).toEqual([...secrets.keys()]);
  expect(made.get('postgres-password')).toBe(`${before.POSTGRES_PASSWORD}\n`);
  expect(made.get('initial-admin-key')).toBe(`${before.INITIAL_ADMIN_KEY}\n`);
  for (const [name, text] of made) {
    const [, user, password] = /:\/\/(\w+):(\w+)@/.exec(text) ?? [];
    const store = /^(?:event-log|profiles|analytics)/.exec(name)?.[0];
    if (store === undefined) continue;
    const lists = {
      'event-log': 'kafka-users.jaas',
      profiles: 'postgres-users.sql',
      analytics: 'clickhouse-users.sql',
    };
    expect(made.get(lists[store as keyof typeof lists]), name).toMatch(new RegExp(`${user}\\b.*${password}`));
  }
});
