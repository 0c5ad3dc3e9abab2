import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourcesHash } from '../../../tools/helm-sources.ts';
import { memberAt, membersOf, schemaProblems } from './kubernetes-schemas.ts';
import {
  isSelected,
  type Labels,
  renderedObjects,
  RENDERINGS,
  renderedText,
  selectorOf,
  workloadsOf,
} from './rendering.ts';

/** An operator brings their schemas. */
const FOREIGN_KINDS = ['ServiceMonitor'];

/** Members whose names are anybody's. */
const MAPS = /\/(?:labels|annotations|matchLabels|requests|limits|nodeSelector|spec\/selector)$/;

function namesIn(folder: string): string[] {
  return globSync(`deploy/helm/${folder}/*.yaml`).map((file) => basename(file, '.yaml'));
}

function ofKubernetes(name: string) {
  return renderedObjects(name).filter(({ kind }) => !FOREIGN_KINDS.includes(kind));
}

test('each file of values has its rendering, and no other is there', () => {
  expect([namesIn('values').sort(), namesIn('rendered').sort()]).toEqual([[...RENDERINGS], [...RENDERINGS]]);
});

describe.each(RENDERINGS)('the rendering %s', (name) => {
  const objects = renderedObjects(name);
  const workloads = [...workloadsOf(objects).values()];
  const templates = workloads.map(({ template }) => template);

  test('it was made from the chart as it is: tools/helm-render.sh makes it anew', () => {
    const [head = ''] = renderedText(name).split('\n');

    expect(head).toBe(
      `# By tools/helm-render.sh from deploy/helm/values/${name}.yaml, sources sha256:${sourcesHash(`deploy/helm/values/${name}.yaml`)}`,
    );
  });

  test('each object is one that the schemas of Kubernetes take, without a member that they do not know', async () => {
    const problems = await Promise.all(ofKubernetes(name).map((object) => schemaProblems(object)));

    expect(objects.length).toBeGreaterThan(3);
    expect(problems.flat()).toEqual([]);
  });

  test('no object is there twice, and none is a Secret', () => {
    const called = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

    expect(new Set(called).size).toBe(called.length);
    expect(called.filter((one) => one.startsWith('Secret'))).toEqual([]);
  });

  test('whatever names pods by labels finds some', () => {
    const selectors = ofKubernetes(name).flatMap((object): [string, Labels][] => {
      const labels = selectorOf(object);
      return labels === undefined ? [] : [[`${object.kind} ${object.metadata.name}`, labels]];
    });
    const ofNone = selectors.filter(([, selector]) => !templates.some((template) => isSelected(template, selector)));

    expect(selectors.length).toBeGreaterThan(2);
    expect(ofNone).toEqual([]);
  });

  test('each workload has the pods of its own selector, and no other has', () => {
    for (const { object, template } of workloads.filter(({ object: { kind } }) => kind !== 'Job')) {
      const selector = selectorOf(object) ?? {};

      expect(templates.filter((one) => isSelected(one, selector))).toEqual([template]);
    }
  });

  test('what is named is there: services, their port, and what is scaled', () => {
    const services = new Map(objects.filter(({ kind }) => kind === 'Service').map((one) => [one.metadata.name, one]));
    const backends = objects.flatMap(({ spec }) => spec?.rules ?? []).flatMap(({ http }) => http.paths);
    const governing = objects.flatMap(({ spec }) => spec?.serviceName ?? []);
    const scaled = objects.flatMap(({ spec }) => spec?.scaleTargetRef ?? []);
    const pods = templates.flatMap(({ spec }) => spec.containers.flatMap(({ ports }) => ports ?? []));

    expect(governing.filter((service) => !services.has(service))).toEqual([]);
    for (const { backend } of backends) {
      const ports = services.get(backend.service.name)?.spec?.ports ?? [];
      expect(ports.map((port) => port.name)).toContain(backend.service.port.name);
    }
    expect([...services.values()].flatMap(({ spec }) => spec?.ports ?? []).map(({ targetPort }) => targetPort)).toEqual(
      Array.from(services, () => 'http'),
    );
    expect(new Set(pods.map((port) => port.name))).toEqual(new Set(['http']));
    for (const { kind, name: target } of scaled)
      expect(workloads.map(({ object }) => [object.kind, object.metadata.name])).toContainEqual([kind, target]);
  });
});

describe('the rendering with everything', () => {
  const objects = renderedObjects('roles-full');

  test('it has every kind of object that the chart can make', () => {
    const templates = globSync('deploy/helm/tidemark/templates/*.yaml').map((file) => readFileSync(file, 'utf8'));
    const kinds = [...templates.join('\n').matchAll(/^kind: (?:(\w+)$|.*"(\w+)" "(\w+)")/gm)].flatMap(
      ([, only, one, other]) => (only === undefined ? [one, other] : [only]),
    );
    const rendered = RENDERINGS.flatMap((name) => renderedObjects(name).map(({ kind }) => kind));

    expect(new Set(kinds).size).toBeGreaterThan(8);
    expect(new Set(rendered)).toEqual(new Set(kinds));
  });

  test('a member that Kubernetes does not know is found wherever it stands', async () => {
    let places = 0;
    for (const object of ofKubernetes('roles-full')) {
      for (const path of ['', ...membersOf(object, '')]) {
        const copy = structuredClone(object);
        const spot = memberAt(copy, path);
        if (typeof spot !== 'object' || spot === null || Array.isArray(spot) || MAPS.test(path)) continue;
        Object.assign(spot, { memberOfNobody: 1 });
        expect(await schemaProblems(copy)).toContain(`${path}/memberOfNobody is not known`);
        places += 1;
      }
    }
    expect(places).toBeGreaterThan(200);
  });

  test('a value of another type is found', async () => {
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
    const wrong = { ...deployment!, spec: { ...deployment!.spec, replicas: 'two' } };

    expect(await schemaProblems(wrong)).toEqual(['/spec/replicas #/type {"type":"integer"}']);
  });

  test('Prometheus is told of the service that has every pod, by its labels and its port', () => {
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor')!;
    const services = objects.filter(({ kind }) => kind === 'Service');
    const selector = selectorOf(monitor) ?? {};
    const found = services.filter(({ metadata }) =>
      Object.entries(selector).every(([name, value]) => metadata.labels?.[name] === value),
    );

    expect(found.map(({ metadata }) => metadata.name)).toEqual(['tidemark-pods']);
    expect(monitor.spec?.endpoints).toMatchObject([
      { port: 'http', path: '/metrics', authorization: { credentials: { name: 'tidemark', key: 'METRICS_KEY' } } },
    ]);
  });
});
