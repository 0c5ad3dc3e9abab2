/** The alerts and dashboards of deploy/monitoring, held against the documentation and a service that runs. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from '../../../deploy/monitoring/make-dashboards.ts';
import { sharedService } from '../../support/service/shared-service.ts';
import {
  documented,
  expressionsIn,
  type Metrics,
  metricsIn,
  missingIn,
  namedIn,
  RULES,
  rules,
} from './named-metrics.ts';
import { findProgram } from './prometheus.ts';

const TESTS = 'deploy/monitoring/tidemark.rules.test.yml';
const DASHBOARDS = 'deploy/monitoring/dashboards';

interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts?: readonly object[];
}

test('the dashboards are what their script makes, one for each role', () => {
  const made = dashboards();

  const committed = readdirSync(DASHBOARDS).map((name) => [name, readFileSync(join(DASHBOARDS, name), 'utf8')]);
  expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(made));
  const roles = ['all', 'ingest', 'projector', 'sink', 'webhooks'];
  expect([...made.keys()].sort()).toEqual(roles.map((role) => `tidemark-${role}.json`));
});

test('every alert says how grave it is, and names a runbook that is there', () => {
  const headings = [...readFileSync('docs/operations.md', 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, one = '']) => one);
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  const runbooks = rules().map(({ annotations }) => annotations.runbook_url);

  expect(runbooks).toHaveLength(14);
  expect(runbooks.filter((url) => !anchors.some((anchor) => url === `docs/operations.md#${anchor}`))).toEqual([]);
  expect(rules().filter(({ labels }) => !['page', 'ticket'].includes(labels.severity))).toEqual([]);
});

test('every alert has a test in which it fires and one in which it does not, and a row in the guide', () => {
  const { tests } = parse(readFileSync(TESTS, 'utf8')) as { tests: { alert_rule_test: AlertTest[] }[] };
  const all = tests.flatMap((one) => one.alert_rule_test);
  const named = (fires: boolean) =>
    new Set(all.filter(({ exp_alerts: alerts = [] }) => alerts.length > 0 === fires).map(({ alertname }) => alertname));
  const alerts = rules().map(({ alert }) => alert);
  const rows = [...readFileSync('deploy/monitoring.md', 'utf8').matchAll(/^\| `(Tidemark\w+)` /gm)];

  expect(alerts.filter((alert) => !named(true).has(alert) || !named(false).has(alert))).toEqual([]);
  expect(rows.map(([, alert]) => alert)).toEqual(alerts);
});

const promtool = findProgram('promtool');

test.skipIf(promtool === undefined)(
  `the alerts pass their tests by promtool${promtool === undefined ? ', SKIPPED: there is no promtool' : ''}`,
  async () => {
    const run = promisify(execFile);

    const checked = await run(promtool ?? '', ['check', 'rules', RULES]);
    const tested = await run(promtool ?? '', ['test', 'rules', TESTS]);

    expect(checked.stdout).toContain('SUCCESS: 14 rules found');
    expect(tested.stdout).toContain('SUCCESS');
  },
);

describe('of a service in one process', () => {
  const service = sharedService((dataDir) => ({ SPOOL_DIR: join(dataDir, 'spool') }));
  let metrics: Metrics;

  beforeAll(async () => {
    // The labels of requests are there once there were some.
    expect((await service().request('/v1/track', { user_id: 'ada', event: 'Paid' })).status).toBe(200);
    metrics = metricsIn(await (await service().request('/metrics')).text());
  });

  test('a metric or a label that is misspelt is found', () => {
    const wrong = ['sum by (readr) (tidemark_reader_lag_seconds)', 'tidemark_reader_lag{reader="sink"} > 0'];
    expect(missingIn(metrics, wrong)).toEqual(['tidemark_reader_lag_seconds{readr}', 'tidemark_reader_lag']);
  });

  test('every metric that an alert or a dashboard names is told by a service, with its labels', () => {
    const expressions = [...rules().map(({ expr }) => expr), ...[...dashboards().values()].flatMap(expressionsIn)];

    expect(expressions.length).toBeGreaterThan(80);
    expect(expressions.filter((expr) => !expr.startsWith('up{') && namedIn(expr).size === 0)).toEqual([]);
    expect(missingIn(metrics, expressions)).toEqual([]);
  });

  test('every metric of ours has a row in the documentation, with its labels, which alerts and dashboards use', () => {
    const rows = documented();
    const familyOf = (name: string): string => (rows.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ''));
    const ours = [...metrics].filter(([name]) => name.startsWith('tidemark_'));
    const known = (name: string): readonly string[] => [...(rows.get(familyOf(name)) ?? []), 'le'];
    const expressions = [...rules().map(({ expr }) => expr), ...[...dashboards().values()].flatMap(expressionsIn)];
    const used = expressions.flatMap((expr) => [...namedIn(expr)]).filter(([name]) => name.startsWith('tidemark_'));

    expect(ours.map(([name]) => familyOf(name)).filter((family) => !rows.has(family))).toEqual([]);
    for (const [name, labels] of [...ours, ...used])
      expect(known(name), name).toEqual(expect.arrayContaining([...labels]));
  });
});
