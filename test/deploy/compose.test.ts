import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig, SETTING_NAMES } from '../../services/runtime/config.ts';
import { checkRole, ROLES, roleOf } from '../../services/app/role.ts';
import { type ComposeService, defaultsOf, readCompose, variablesOf } from '../support/service/compose.ts';
import { madeSecrets, settingsOf } from './composed.ts';

const guide = ['README.md', 'images.md'].map((page) => readFileSync(`deploy/${page}`, 'utf8')).join('');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** What each file is for: where it answers, the services of ours, those that they need, and the steps before both. */
const FILES = [
  {
    file: 'docker-compose.yml',
    answers: ['ingest 127.0.0.1:8080:8080', 'admin 127.0.0.1:8079:8080'],
    expected: [
      ['ingest', 'admin', 'projector', 'sink', 'webhooks'],
      ['kafka', 'registry', 'postgres', 'clickhouse'],
      ['kafka-rights', 'migrate', 'postgres-rights'],
    ],
  },
  {
    file: 'deploy/three.yml',
    answers: ['tidemark 127.0.0.1:8080:8080'],
    expected: [['tidemark'], ['postgres', 'clickhouse'], []],
  },
  { file: 'deploy/small.yml', answers: ['tidemark 127.0.0.1:8080:8080'], expected: [['tidemark'], [], []] },
];

const secrets = madeSecrets();

function isStep([, service]: [string, ComposeService]): boolean {
  return service.restart === 'on-failure:10';
}

function isOurs([, service]: [string, ComposeService]): boolean {
  return service.build !== undefined;
}

/** What the container is given, where the person set what must be set and nothing else. */
function environmentOf(service: ComposeService): Record<string, string> {
  return settingsOf(service, secrets);
}

describe.each(FILES)('$file', ({ file, answers, expected }) => {
  const text = readFileSync(file, 'utf8');
  const { services, volumes, networks } = readCompose(file);
  const all = Object.entries(services);
  const steps = all.filter(isStep);
  const lasting = all.filter((service) => !isStep(service));
  const ours = lasting.filter(isOurs);
  const theirs = lasting.filter((service) => !isOurs(service));

  test('our roles are there, what they need, and the steps before them', () => {
    expect([ours, theirs, steps].map((some) => some.map(([name]) => name))).toEqual(expected);
  });

  test('our image is called by the version and the target that it holds', () => {
    for (const [, { image, build }] of all.filter(isOurs)) {
      const suffix = build?.target === 'all' ? '-all' : '';
      expect(defaultsOf(image)).toBe(`tidemark:${version}${suffix}`);
    }
  });

  test.each(ours)('%s is given settings that the service knows and accepts', (_, service) => {
    const environment = environmentOf(service);

    expect(Object.keys(environment).filter((setting) => !SETTING_NAMES.includes(setting))).toEqual([]);
    expect(() => checkRole(roleOf(service.command ?? []), readConfig(environment))).not.toThrow();
  });

  test.each(ours)('%s is of the image that has the stores which its settings name', (_, service) => {
    const { profilesUrl, analyticsUrl } = readConfig(environmentOf(service));
    const needed = roleOf(service.command ?? []) === 'projector' ? [profilesUrl] : [profilesUrl, analyticsUrl];
    const isEmbedded = needed.some((url) => /^(?:pglite|chdb):/.test(url));

    expect(service.build?.target).toBe(isEmbedded ? 'all' : 'servers');
  });

  test.each(ours)('%s writes nowhere but where it is told to, and has no rights to lose', (_, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.tmpfs?.map((mount) => mount.split(':')[0])).toEqual(['/tmp']);
    expect(service.volumes?.map((volume) => volume.split(':')[1])).toEqual(['/data']);
    expect([service.privileged, service.user, service.cap_add]).toEqual([undefined, undefined, undefined]);
  });

  test.runIf(theirs.length > 0)('the servers have no rights of root, can gain none, and write their data alone', () => {
    for (const [name, service] of [...theirs, ...steps]) {
      expect(service, name).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect([name, service.read_only === true]).toEqual([name, name !== 'registry']);
      expect([service.privileged, service.cap_add]).toEqual([undefined, undefined]);
    }
  });

  test.runIf(theirs.length > 0)('the servers are in a network without a way out, with nothing but our roles', () => {
    expect(networks).toEqual({ stores: { internal: true } });
    for (const [name, service] of [...theirs, ...steps]) expect(service.networks, name).toEqual(['stores']);
    for (const [name, service] of ours) expect(service.networks, name).toContain('stores');
  });

  test.each(lasting)(
    '%s has a health check, a limit of memory, bounded logs, and comes back by itself',
    (_, service) => {
      expect(service.healthcheck?.test[0]).toBe('CMD');
      expect(defaultsOf(service.mem_limit ?? '')).toMatch(/^\d+[mg]$/);
      expect(service.logging?.options).toHaveProperty('max-size');
      expect(service.restart).toBe('unless-stopped');
    },
  );

  test.each(all)('%s waits for the health of what it needs, none of which may be left out', (_, service) => {
    const needed = Object.entries(service.depends_on ?? {});

    expect(needed.filter(([name]) => !(name in services) || services[name]?.profiles !== undefined)).toEqual([]);
    expect(new Set(needed.map(([, { condition }]) => condition))).not.toContain('service_started');
  });

  test.runIf(steps.length > 0)('a step is waited for by another service until it has ended well', () => {
    const awaited = all.flatMap(([, service]) => Object.entries(service.depends_on ?? {}));

    for (const [name, { mem_limit: limit, logging }] of steps) {
      expect(awaited.filter(([needed]) => needed === name).map(([, { condition }]) => condition)).toContain(
        'service_completed_successfully',
      );
      expect([limit, logging?.options['max-size']], name).toEqual(['512m', '10m']);
    }
  });

  test('nothing but the HTTP interface is published, and that to this machine alone', () => {
    const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${defaultsOf(port)}`));

    expect(published).toEqual(answers);
  });

  test('the data are kept in named volumes', () => {
    const kept = all.flatMap(([, service]) => service.volumes ?? []).filter((volume) => !volume.startsWith('./'));

    expect(new Set(kept.map((volume) => volume.split(':')[0]))).toEqual(new Set(Object.keys(volumes)));
  });

  test('every variable is explained in the guide', () => {
    const names = variablesOf(text).map(({ name }) => name);

    expect(names.length).toBeGreaterThan(6);
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  const { services } = readCompose('docker-compose.yml');

  test('each role of a server installation is run', () => {
    const ours = Object.entries(services).filter((service) => isOurs(service) && !isStep(service));

    expect(new Set(ours.map(([, { command }]) => roleOf(command ?? [])))).toEqual(
      new Set(ROLES.filter((role) => role !== 'all')),
    );
  });

  test('the registry is started only where it is asked for, and whether it is must be said', () => {
    const behindProfile = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
    const addresses = Object.values(services).map(({ environment }) => environment?.['SCHEMA_REGISTRY_URL']);

    expect(behindProfile.map(([name, { profiles }]) => [name, profiles])).toEqual([['registry', ['registry']]]);
    expect(new Set(addresses.filter((text) => text !== undefined))).toEqual(
      new Set(['${SCHEMA_REGISTRY_URL?see deploy/README.md}']),
    );
  });
});

describe('deploy/small.yml', () => {
  const { tidemark } = readCompose('deploy/small.yml').services;

  const limitBytes = Number.parseInt(defaultsOf(tidemark?.mem_limit ?? ''), 10) * 1024 ** 2;

  test('the small installation takes less than 1.5 GB', () => {
    expect(defaultsOf(tidemark?.mem_limit ?? '')).toMatch(/^\d+m$/);
    expect(limitBytes).toBeLessThan(1.5e9);
  });

  test('a question may take no more memory than what the stores leave', () => {
    const { queryMaxMemoryBytes } = readConfig(environmentOf(tidemark as ComposeService));

    // After 600,000 events 930 MiB were in use that cannot be given back: deploy/sizing.md.
    expect(queryMaxMemoryBytes).toBeLessThanOrEqual(limitBytes - 930 * 1024 ** 2);
  });

  test('nothing must be set, as the first start makes the keys', () => {
    const operators = variablesOf(readFileSync('deploy/small.yml', 'utf8')).map(({ operator }) => operator);

    expect(new Set(operators)).toEqual(new Set([':-']));
  });
});
