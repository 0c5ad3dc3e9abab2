import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig, SETTING_NAMES } from '../../services/runtime/config.ts';
import { checkRole, ROLES, roleOf } from '../../services/app/role.ts';
import { type ComposeService, defaultsOf, readCompose, valueOf, variablesOf } from '../support/service/compose.ts';

const text = readFileSync('docker-compose.yml', 'utf8');
const guide = readFileSync('deploy/README.md', 'utf8');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const { services, volumes } = readCompose(text);
const all = Object.entries(services);
const ours = all.filter(([, service]) => service.build !== undefined);
const theirs = all.filter(([, service]) => service.build === undefined);

/** What the container is given, where the person set what must be set and nothing else. */
function environmentOf(service: ComposeService): Record<string, string> {
  const given = Object.entries(service.environment ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, valueOf(String(value))]));
}

describe('docker-compose.yml', () => {
  test('docker-compose.yml runs each role of a server installation, and what they need', () => {
    expect(ours.map(([name]) => name)).toEqual(['ingest', 'projector', 'sink']);
    expect(theirs.map(([name]) => name)).toEqual(['kafka', 'registry', 'postgres', 'clickhouse']);
    expect(ours.map(([, { command }]) => roleOf(command ?? []))).toEqual(ROLES.filter((role) => role !== 'all'));
  });

  test.each(all)('%s has an image of one version', (_, { image }) => {
    expect(defaultsOf(image)).toMatch(/^[a-z][\w./-]*:\d+\.\d+[\w.-]*$/);
  });

  test('calls our image by the version that it holds', () => {
    expect(new Set(ours.map(([, { image }]) => defaultsOf(image)))).toEqual(new Set([`tidemark:${version}`]));
  });

  test.each(ours)('%s is given settings that the service knows and accepts', (name, service) => {
    const environment = environmentOf(service);

    expect(Object.keys(environment).filter((setting) => !SETTING_NAMES.includes(setting))).toEqual([]);
    expect(() => checkRole(roleOf([name]), readConfig(environment))).not.toThrow();
  });

  test.each(ours)('%s writes nowhere but where it is told to, and has no rights to lose', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.tmpfs?.map((mount) => mount.split(':')[0])).toEqual(['/tmp']);
    expect(service.volumes).toEqual(['service:/data']);
    expect([service.privileged, service.user, service.cap_add]).toEqual([undefined, undefined, undefined]);
  });

  test.each(theirs)('%s cannot gain rights', (_, service) => {
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect([service.privileged, service.cap_add]).toEqual([undefined, undefined]);
  });

  test.each(all)('%s has a health check, a limit of memory, bounded logs, and comes back by itself', (_, service) => {
    expect(service.healthcheck?.test[0]).toBe('CMD');
    expect(defaultsOf(service.mem_limit ?? '')).toMatch(/^\d+[mg]$/);
    expect(service.logging?.options).toHaveProperty('max-size');
    expect(service.restart).toBe('unless-stopped');
  });

  test.each(all)('%s waits for the health of what it needs', (_, { depends_on: needed = {} }) => {
    expect(Object.keys(needed).filter((name) => !(name in services))).toEqual([]);
    expect(new Set(Object.values(needed).map(({ condition }) => condition))).not.toContain('service_started');
  });

  test('publishes nothing but the HTTP interface, and that to this machine alone', () => {
    const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${defaultsOf(port)}`));

    expect(published).toEqual(['ingest 127.0.0.1:8080:8080']);
  });

  test('docker-compose.yml keeps the data of servers in named volumes', () => {
    const kept = all.flatMap(([, service]) => service.volumes ?? []).filter((volume) => !volume.startsWith('./'));

    expect(new Set(kept.map((volume) => volume.split(':')[0]))).toEqual(new Set(Object.keys(volumes)));
  });

  test('demands every secret', () => {
    const secrets = variablesOf(text).filter(({ name }) => /PASSWORD|KEY/.test(name));

    expect(new Set(secrets.map(({ operator }) => operator))).toEqual(new Set([':?']));
  });

  test('docker-compose.yml names no variable that deploy/README.md does not explain', () => {
    const names = variablesOf(text).map(({ name }) => name);

    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
