import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { checkRole, roleOf } from '../../../services/app/role.ts';
import { operationRoutes } from '../../../services/http/operations.ts';
import { readConfig, SETTING_NAMES } from '../../../services/runtime/config.ts';
import { SETTINGS } from '../../../services/runtime/settings/settings.ts';
import { renderedObjects, RENDERINGS, secretsOf, type Workload, workloadsOf } from './rendering.ts';

const WORKLOADS = RENDERINGS.flatMap((rendering) =>
  [...workloadsOf(renderedObjects(rendering))].map(([name, workload]) => ({ rendering, name, ...workload })),
);
const [JOBS, SERVICES] = [true, false].map((isJob) =>
  WORKLOADS.filter(({ object }) => (object.kind === 'Job') === isJob),
) as [typeof WORKLOADS, typeof WORKLOADS];

const SECRETS: readonly string[] = Object.values(SETTINGS).flatMap((setting) =>
  'secret' in setting ? setting.name : [],
);
const FIRST_KEYS = ['INITIAL_WRITE_KEY', 'INITIAL_READ_KEY', 'INITIAL_ADMIN_KEY'];
const STOPS_WITHIN_SECONDS = 15;

/** What a Secret may hold; any other is a key. */
const URLS: Readonly<Record<string, string>> = {
  EVENT_LOG_URL: 'kafka://kafka:9092',
  PROFILES_URL: 'postgres://tidemark:word@postgres/tidemark',
  ANALYTICS_URL: 'http://tidemark:word@clickhouse:8123/tidemark',
  SCHEMA_REGISTRY_URL: 'http://registry:8080',
};

/** The settings as the process has them, its secrets among them. */
function environmentOf(workload: Workload): Record<string, string> {
  const secrets = secretsOf(workload).map((name): [string, string] => [name, URLS[name] ?? `${name}-`.padEnd(40, '0')]);
  const open = Object.entries(workload.env).filter(([name]) => !name.endsWith('_FILE'));
  return Object.fromEntries([...open, ...secrets]);
}

function find(rendering: string, name: string): Workload {
  return WORKLOADS.find((one) => one.rendering === rendering && one.name === name)!;
}

describe.each(WORKLOADS)('$name of the rendering $rendering', (workload) => {
  const { template, container, env } = workload;
  const { volumes } = template.spec;

  test('it is given settings that the service has and accepts', () => {
    const names = [...Object.keys(env).filter((name) => !name.endsWith('_FILE')), ...secretsOf(workload)];

    expect(names.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    expect(() => readConfig(environmentOf(workload))).not.toThrow();
  });

  test('a secret is in a file of the Secret, and in no value', () => {
    const secret = volumes.find(({ name }) => name === 'secrets')?.secret;
    const mount = container.volumeMounts.find(({ name }) => name === 'secrets')?.mountPath;
    const files = (secret?.items ?? []).map(({ path }) => `${mount}/${path}`);

    expect(Object.keys(env).filter((name) => SECRETS.includes(name))).toEqual([]);
    expect(secretsOf(workload).filter((name) => !SECRETS.includes(name))).toEqual([]);
    expect(secretsOf(workload).map((name) => env[`${name}_FILE`])).toEqual(files);
    expect(JSON.stringify(workload.object)).not.toMatch(/:\/\/[^/"]*@/);
  });

  test('it has no rights to lose, and writes nowhere but into volumes', () => {
    expect(template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(expect.arrayContaining(['/data', '/tmp']));
  });

  test('what is mounted is a volume, and what a path names is mounted', () => {
    const claims = workload.object.spec?.volumeClaimTemplates ?? [];
    const names = [...volumes.map(({ name }) => name), ...claims.map(({ metadata }) => metadata.name)];

    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(names.sort());
    // Its root may be anybody's to write: the service makes a folder of its own in it.
    for (const folder of [env['DATA_DIR'], env['SPOOL_DIR']].filter((path) => path !== undefined))
      expect(folder).toMatch(/^\/data\/./);
  });

  test('its memory is bounded, and its image is of one version', () => {
    expect(container.resources.limits['memory']).toMatch(/^\d+[MG]i$/);
    expect(container.resources.requests).toHaveProperty('cpu');
    expect(container.image).toMatch(/(?::\d+\.\d+\.\d+[\w.-]*|@sha256:[0-9a-f]{64})$/);
  });
});

describe.each(SERVICES)('$name of the rendering $rendering, which goes on running,', (workload) => {
  const { template, container } = workload;
  const [role = '', ...more] = container.args ?? [];

  test('it is a role, which accepts its settings', () => {
    expect(more).toEqual([]);
    expect(() => checkRole(roleOf([role]), readConfig(environmentOf(workload)))).not.toThrow();
  });

  test('it is probed at the port and the paths that the service has', () => {
    const registry = new Registry();
    const { routes } = operationRoutes({ readiness: () => ({ ready: true, parts: {} }), registry });
    const { startupProbe, livenessProbe, readinessProbe, ports } = container;
    const probed = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet);

    expect(ports).toEqual([{ name: 'http', containerPort: Number(SETTINGS.port.default) }]);
    expect(probed.map((get) => get?.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    expect(probed.filter((get) => get?.port !== 'http')).toEqual([]);
    expect(routes.map(({ path }) => path)).toEqual(expect.arrayContaining(probed.map((get) => get?.path)));
  });

  test('it has the time to stop, and its watchdog can end it', () => {
    const [, pauseSeconds = '0'] = /sleep","(\d+)"/.exec(JSON.stringify(container)) ?? [];

    expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(STOPS_WITHIN_SECONDS + Number(pauseSeconds));
    expect(template.spec.shareProcessNamespace).toBe(true);
  });

  test('the first keys are given to what makes the first project alone', () => {
    const serves = role === 'all' || role === 'ingest';

    expect(secretsOf(workload).filter((name) => FIRST_KEYS.includes(name) && !serves)).toEqual([]);
  });
});

describe('the mode all', () => {
  test.each(['all', 'openshift'])('%s is one process with a volume of its own', (rendering) => {
    const { object, template } = find(rendering, 'tidemark');

    expect(object).toMatchObject({ kind: 'StatefulSet', spec: { replicas: 1 } });
    expect(object.spec?.volumeClaimTemplates?.map(({ metadata }) => metadata.name)).toEqual(['data']);
    expect(template.spec.volumes.map(({ name }) => name)).not.toContain('data');
    expect(JOBS.filter((job) => job.rendering === rendering)).toEqual([]);
  });

  test('no id of a user or a group is set where the cluster gives them', () => {
    const { securityContext } = find('openshift', 'tidemark').template.spec;

    expect(Object.keys(securityContext).filter((name) => /^(?:runAs(?:User|Group)|fsGroup)$/.test(name))).toEqual([]);
  });
});

describe('the mode roles', () => {
  test('each role is run, webhooks where it is wanted, and ingest keeps its pods apart from their volumes', () => {
    const kindsOf = (rendering: string): string[] =>
      SERVICES.filter((one) => one.rendering === rendering).map(({ name, object }) => `${object.kind} ${name}`);

    expect(kindsOf('roles').sort()).toEqual([
      'Deployment tidemark-ingest',
      'Deployment tidemark-projector',
      'Deployment tidemark-sink',
    ]);
    expect(kindsOf('roles-full').sort()).toEqual([
      'Deployment tidemark-projector',
      'Deployment tidemark-sink',
      'Deployment tidemark-webhooks',
      'StatefulSet tidemark-ingest',
    ]);
  });

  test('the pods that send webhooks have no secret of Kafka, and the others do', () => {
    const secrets = new Map(
      SERVICES.filter(({ rendering }) => rendering === 'roles-full').map((one) => [one.name, secretsOf(one)]),
    );
    const ofKafka = ['EVENT_LOG_URL', 'SCHEMA_REGISTRY_URL'];

    expect(secrets.get('tidemark-webhooks')).toEqual(['PROFILES_URL', 'ANALYTICS_URL', 'METRICS_KEY']);
    expect(secrets.get('tidemark-sink')).toEqual(expect.arrayContaining(ofKafka));
    const { template } = find('roles-full', 'tidemark-webhooks');
    expect(ofKafka.filter((name) => JSON.stringify(template).includes(name))).toEqual([]);
  });

  test('with a spool each pod of ingest has a volume for it, and no pod is taken away by itself', () => {
    const { object, env } = find('roles-full', 'tidemark-ingest');
    const scaler = renderedObjects('roles-full').find(({ kind }) => kind === 'HorizontalPodAutoscaler');

    expect(env['SPOOL_DIR']).toBe('/data/spool');
    expect(object.spec?.volumeClaimTemplates).toHaveLength(1);
    expect(object.spec).not.toHaveProperty('replicas');
    expect(scaler?.spec?.behavior).toEqual({ scaleDown: { selectPolicy: 'Disabled' } });
    expect(find('roles', 'tidemark-ingest').env).not.toHaveProperty('SPOOL_DIR');
  });

  test('a Job migrates before anything starts, and nothing else does', () => {
    const ofRoles = SERVICES.filter(({ rendering }) => rendering.startsWith('roles'));

    expect(JOBS.map(({ rendering }) => rendering)).toEqual(['roles', 'roles-full']);
    for (const { object, container, env } of JOBS) {
      expect(object.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
      expect([container.command, env['MIGRATE']]).toEqual([['tidemark', 'migrate'], undefined]);
    }
    expect(new Set(ofRoles.map(({ env }) => env['MIGRATE']))).toEqual(new Set(['off']));
  });

  test('a role has the Secret that is its own, and else that of all', () => {
    const secretOf = (name: string): string | undefined =>
      find('roles-full', name).template.spec.volumes.find(({ secret }) => secret !== undefined)?.secret?.secretName;

    expect(['tidemark-ingest', 'tidemark-sink', 'tidemark-migrate'].map((name) => secretOf(name))).toEqual([
      'tidemark-ingest',
      'tidemark',
      'tidemark-owner',
    ]);
    expect(secretsOf(find('roles-full', 'tidemark-projector'))).not.toContain('ANALYTICS_URL');
  });

  test('the topics have as many partitions as in the composition, unless another number is set', () => {
    const partitions = ['roles', 'roles-full'].map((name) => find(name, 'tidemark-sink').env['EVENT_LOG_PARTITIONS']);

    expect(partitions).toEqual(['12', '24']);
  });
});
