import { describe, expect, test } from 'vitest';
import { readConfig } from '../../services/runtime/config.ts';
import { checkRole, ROLES, roleOf } from '../../services/app/role.ts';

const SERVERS = {
  EVENT_LOG_URL: 'kafka://127.0.0.1:9092',
  PROFILES_URL: 'postgres://user:secret@127.0.0.1/tidemark',
  ANALYTICS_URL: 'http://127.0.0.1:8123/tidemark',
};

describe('the role of a process', () => {
  test('the role is all where none is named', () => {
    expect(roleOf([])).toBe('all');
    expect(ROLES.map((role) => roleOf([role]))).toEqual(ROLES);
  });

  test.each([[['sinks']], [['ingest', 'sink']], [['']]])('the arguments %j name no role', (args) => {
    expect(() => roleOf(args)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test.each(ROLES)('the role %s runs on servers', (role) => {
    expect(() => checkRole(role, readConfig(SERVERS))).not.toThrow();
  });

  test.each(['ingest', 'sink'] as const)(
    'the error of the role %s names every embedded store that it cannot share',
    (role) => {
      expect(() => checkRole(role, readConfig({}))).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringMatching(/EVENT_LOG_URL.*PROFILES_URL.*ANALYTICS_URL/) as string,
        }),
      );
    },
  );

  test.each([
    ['projector', 'ANALYTICS_URL', 'EVENT_LOG_URL'],
    ['webhooks', 'EVENT_LOG_URL', 'ANALYTICS_URL'],
  ] as const)('the role %s needs no %s', (role, unused, needed) => {
    const without = (name: string) => readConfig({ ...SERVERS, [name]: '' });
    expect(() => checkRole(role, without(unused))).not.toThrow();
    expect(() => checkRole(role, without(needed))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => checkRole(role, readConfig({}))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });

  test.each(['ingest', 'projector', 'sink'] as const)('an embedded event log is not for the role %s', (role) => {
    const { EVENT_LOG_URL: _, ...others } = SERVERS;
    expect(() => checkRole('all', readConfig(others))).not.toThrow();
    expect(() => checkRole(role, readConfig(others))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
