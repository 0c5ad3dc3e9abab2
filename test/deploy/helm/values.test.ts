import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTING_NAMES } from '../../../services/runtime/config.ts';
import { SETTINGS } from '../../../services/runtime/settings/settings.ts';
import { RENDERINGS } from './rendering.ts';

interface ValuesSchema {
  readonly properties: { readonly secret: { readonly properties: { readonly keys: { readonly items: Names } } } };
  readonly definitions: { readonly settings: { readonly propertyNames: Names } };
}

interface Names {
  readonly enum: readonly string[];
}

const CHART = 'deploy/helm/tidemark';
const valuesSchema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as ValuesSchema;
const values = valuesOf(`${CHART}/values.yaml`) as Readonly<Record<string, unknown>>;
const validate = new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false }).compile(valuesSchema);

/** Set by the chart, as it mounts the folders and opens the port. */
const OF_THE_CHART = ['PORT', 'DATA_DIR', 'SPOOL_DIR'];

/** As helm reads it, where `off` is no text. */
function valuesOf(file: string): unknown {
  return parse(readFileSync(file, 'utf8'), { version: '1.1' }) as unknown;
}

/** The path of each value, `ingest.spool.size`; what is empty or any object of Kubernetes is one. */
function pathsOf(value: unknown, path: string): string[] {
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  if (!isGroup || /(?:resources|ecurityContext|settings)$/.test(path)) return [path];
  return Object.entries(value).flatMap(([name, member]) => pathsOf(member, path === '' ? name : `${path}.${name}`));
}

describe('the values of the chart', () => {
  test('the schema takes the defaults, and each file of values', () => {
    const files = RENDERINGS.map((name) => valuesOf(`deploy/helm/values/${name}.yaml`));

    expect([values, ...files].filter((one) => !validate(one))).toEqual([]);
  });

  test.each([
    ['a misspelt name', { ingest: { replica: 3 } }],
    ['a name that is not there', { kafka: { enabled: true } }],
    ['a setting that the service does not have', { settings: { LOG_LEVLE: 'warn' } }],
    ['a setting that is no text', { settings: { ADMIN: false } }],
    ['a secret in place of a setting', { settings: { METRICS_KEY: 'x'.repeat(40) } }],
    ['a setting in place of a secret', { secret: { keys: ['LOG_LEVEL'] } }],
    ['half a digest', { image: { digest: 'sha256:abc' } }],
    ['another mode', { mode: 'both' }],
  ])('the schema refuses %s', (_, given) => {
    expect(validate(given)).toBe(false);
  });

  test('every setting of the service can be set, a secret by the Secret alone', () => {
    const secrets: string[] = Object.values(SETTINGS).flatMap((setting) => ('secret' in setting ? setting.name : []));
    const open = SETTING_NAMES.filter((name) => !secrets.includes(name) && !OF_THE_CHART.includes(name));

    expect(valuesSchema.properties.secret.properties.keys.items.enum.toSorted()).toEqual(secrets.toSorted());
    expect(valuesSchema.definitions.settings.propertyNames.enum.toSorted()).toEqual(open.toSorted());
  });

  test('the table of the chart has every value, and no other', () => {
    const tables = readFileSync(`${CHART}/README.md`, 'utf8').match(/^\|.*$/gm) ?? [];
    const first = tables.flatMap((row) => row.split('|')[1]?.match(/(?<=`)[\w.]+(?=`)/g) ?? []);
    const others = tables.flatMap(
      (row) =>
        row
          .split('|')
          .slice(2)
          .join()
          .match(/(?<=`)\w+\.(?:secretName|resources)(?=`)/g) ?? [],
    );

    expect([...first, ...others].sort()).toEqual(pathsOf(values, '').sort());
  });

  test('the chart has the version of the service', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

    expect(valuesOf(`${CHART}/Chart.yaml`)).toMatchObject({ version, appVersion: version });
  });
});
