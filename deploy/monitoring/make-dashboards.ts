/** The dashboards beside this file, one a role, as Grafana imports them: `node deploy/monitoring/make-dashboards.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs';

/** By the name of its line; in each query `@` stands for the labels that select the processes. */
type Queries = Readonly<Record<string, string>>;
type Panel = readonly [title: string, unit: string, queries: Queries];
type Row = readonly [title: string, panels: readonly Panel[]];

const rate = (name: string, labels = ''): string => `rate(${name}{@${labels}}[$__rate_interval])`;
const percentile = (p: number, name: string, by = 'le'): string =>
  `histogram_quantile(${p / 100}, sum by (${by}) (${rate(`${name}_bucket`)}))`;
const share = (part: string, whole: string): string => `${part}{@} / ${whole}{@}`;

const PROCESS: Row = [
  'Process',
  [
    ['Version', 'none', { '{{instance}}: {{role}} {{version}}': 'tidemark_build_info{@}' }],
    ['Processor', 'percentunit', { '{{instance}}': rate('process_cpu_seconds_total') }],
    ['Memory', 'bytes', { '{{instance}}': 'process_resident_memory_bytes{@}' }],
    ['Event loop, p99', 's', { '{{instance}}': 'nodejs_eventloop_lag_p99_seconds{@}' }],
    [
      'Disk that is free',
      'percentunit',
      { '{{instance}} {{folder}}': share('tidemark_disk_free_bytes', 'tidemark_disk_total_bytes') },
    ],
  ],
];

const INGEST: Row = [
  'Ingest',
  [
    [
      'Messages accepted',
      'ops',
      { '{{topic}}': `sum by (topic) (${rate('tidemark_ingest_messages_accepted_total')})` },
    ],
    [
      'Requests',
      'reqps',
      { '{{status}}': `sum by (status) (${rate('tidemark_http_request_duration_seconds_count')})` },
    ],
    [
      'Answered within',
      's',
      {
        p50: percentile(50, 'tidemark_http_request_duration_seconds'),
        p99: percentile(99, 'tidemark_http_request_duration_seconds'),
        'p99, the log alone': percentile(99, 'tidemark_ingest_append_duration_seconds'),
      },
    ],
    [
      'Bytes that wait for the log, of those that may',
      'percentunit',
      { '{{instance}}': share('tidemark_ingest_unacknowledged_bytes', 'tidemark_ingest_max_unacknowledged_bytes') },
    ],
    [
      'Connections',
      'none',
      {
        '{{instance}} open': 'tidemark_http_connections{@}',
        '{{instance}} refused a second': rate('tidemark_http_refused_connections_total'),
      },
    ],
    [
      'Not as it was sent',
      'ops',
      {
        'left out of batches': `sum(${rate('tidemark_ingest_items_rejected_total')})`,
        mended: `sum(${rate('tidemark_ingest_messages_adjusted_total')})`,
      },
    ],
    ['Oldest message in the spool', 's', { '{{instance}}': 'tidemark_spool_oldest_seconds{@}' }],
  ],
];

const readerRow = (reader: 'projector' | 'sink'): Row => {
  const own = `, reader=~"(import-)?${reader}"`;
  const worst = (name: string): string => `max by (reader) (${name}{@${own}})`;
  const title = reader === 'sink' ? 'Sink' : 'Projector';
  const batches = `sum by (le, reader) (${rate('tidemark_reader_batch_seconds_bucket', own)})`;
  return [
    title,
    [
      [`${title}: behind`, 's', { '{{reader}}': worst('tidemark_reader_lag_seconds') }],
      [`${title}: messages unread`, 'none', { '{{reader}}': worst('tidemark_reader_lag_messages') }],
      [
        `${title}: messages read`,
        'ops',
        { '{{reader}}': `sum by (reader) (${rate('tidemark_reader_messages_total', own)})` },
      ],
      [`${title}: repeats what fails`, 's', { '{{reader}}': worst('tidemark_reader_waiting_seconds') }],
      [`${title}: a batch, p90`, 's', { '{{reader}}': `histogram_quantile(0.9, ${batches})` }],
      [
        `${title}: dead letters`,
        'ops',
        { '{{reader}}': `sum by (reader) (${rate('tidemark_reader_dead_letters_total', own)})` },
      ],
    ],
  ];
};

const WITHOUT_DATA: Row = ['Process', PROCESS[1].filter(([title]) => title !== 'Disk that is free')];

const AUDIENCES: Row = [
  'Audiences',
  [
    ['Live audiences decided', 's', { '{{instance}} ago': 'tidemark_live_lag_seconds{@}' }],
    ['Users entered or left', 'ops', { changes: `sum(${rate('tidemark_live_changes_total')})` }],
    ['Evaluations that are due', 's', { oldest: 'max(tidemark_audience_oldest_due_seconds{@})' }],
    ['Audiences that failed', 'none', { audiences: 'max(tidemark_audiences_failed{@})' }],
  ],
];

const WEBHOOKS: Row = [
  'Webhooks',
  [
    ['Webhooks', 'ops', { '{{result}}': `sum by (result) (${rate('tidemark_webhook_attempts_total')})` }],
    ['Oldest webhook', 's', { 'not delivered': 'max(tidemark_webhook_oldest_undelivered_seconds{@})' }],
    [
      'Turns of endpoints',
      'none',
      {
        '{{instance}} turns': 'tidemark_webhook_turns{@}',
        '{{instance}} oldest, s': 'tidemark_webhook_oldest_turn_seconds{@}',
      },
    ],
  ],
];

const INSTALLATION: Row = [
  'Installation',
  [
    ['Processes of readers', 'none', { '{{reader}}': 'max by (reader) (tidemark_reader_processes{@})' }],
    ['Dead letters that wait', 'none', { messages: 'max(tidemark_dead_letters_waiting{@})' }],
    ['Jobs that failed in a day', 'none', { jobs: 'max(tidemark_jobs_failed{@})' }],
    [
      'Verification',
      'none',
      {
        '{{store}} missing': 'max by (store) (tidemark_verify_missing_messages{@})',
        '{{store}} surplus': 'max by (store) (tidemark_verify_surplus_messages{@})',
      },
    ],
    ['Last backup', 's', { ago: 'time() - max(tidemark_backup_last_success_timestamp_seconds{@} > 0)' }],
    ['Oldest erasure', 's', { waits: 'max(tidemark_erasures_oldest_seconds{@})' }],
    ['Stores', 'bytes', { '{{store}}': 'max by (store) (tidemark_store_bytes{@})' }],
    ['Stores grow a day', 'bytes', { '{{store}}': 'max by (store) (tidemark_store_grows_bytes_per_day{@})' }],
  ],
];

const ROLES: Readonly<Record<string, readonly Row[]>> = {
  all: [INSTALLATION, INGEST, readerRow('projector'), readerRow('sink'), AUDIENCES, WEBHOOKS, PROCESS],
  ingest: [INGEST, INSTALLATION, PROCESS],
  projector: [readerRow('projector'), PROCESS],
  sink: [readerRow('sink'), AUDIENCES, WEBHOOKS, PROCESS],
  webhooks: [WEBHOOKS, WITHOUT_DATA],
};

const COLUMNS = 3;
const [WIDTH, HEIGHT] = [24 / COLUMNS, 7];

/** The text of each file, by its name. */
export function dashboards(): ReadonlyMap<string, string> {
  return new Map(Object.entries(ROLES).map(([role, rows]) => [`tidemark-${role}.json`, textOf(role, rows)]));
}

function textOf(role: string, rows: readonly Row[]): string {
  const dashboard = {
    uid: `tidemark-${role}`,
    title: `Tidemark: ${role === 'all' ? 'one process' : role}`,
    tags: ['tidemark'],
    timezone: 'utc',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    schemaVersion: 39,
    templating: { list: variablesOf(role) },
    panels: panelsOf(rows),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

function variablesOf(role: string): readonly object[] {
  const query = (name: string, label: string, text: string, more: object): object => {
    const datasource = { type: 'prometheus', uid: '${datasource}' };
    return { name, label, type: 'query', datasource, query: { query: text, refId: name }, refresh: 2, ...more };
  };
  const ofRole = `tidemark_build_info{role="${role}", job="$job"}`;
  return [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
    query('job', 'Installation', `label_values(tidemark_build_info{role="${role}"}, job)`, {}),
    query('instance', 'Process', `label_values(${ofRole}, instance)`, {
      multi: true,
      includeAll: true,
      allValue: '.*',
    }),
  ];
}

function panelsOf(rows: readonly Row[]): readonly object[] {
  const panels: object[] = [];
  let y = 0;
  for (const [title, ofRow] of rows) {
    panels.push({ id: panels.length + 1, type: 'row', title, gridPos: { x: 0, y: y++, w: 24, h: 1 }, panels: [] });
    for (const [index, panel] of ofRow.entries()) {
      const gridPos = {
        x: (index % COLUMNS) * WIDTH,
        y: y + Math.floor(index / COLUMNS) * HEIGHT,
        w: WIDTH,
        h: HEIGHT,
      };
      panels.push(panelOf(panels.length + 1, panel, gridPos));
    }
    y += Math.ceil(ofRow.length / COLUMNS) * HEIGHT;
  }
  return panels;
}

function panelOf(id: number, [title, unit, queries]: Panel, gridPos: object): object {
  const selected = 'job="$job", instance=~"$instance"';
  const targets = Object.entries(queries).map(([legendFormat, query], index) => {
    return { refId: String.fromCharCode(65 + index), expr: query.replaceAll('@', selected), legendFormat };
  });
  const datasource = { type: 'prometheus', uid: '${datasource}' };
  return {
    id,
    type: 'timeseries',
    title,
    datasource,
    fieldConfig: { defaults: { unit }, overrides: [] },
    gridPos,
    targets,
  };
}

if (import.meta.main) {
  const folder = new URL('dashboards/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of dashboards()) writeFileSync(new URL(name, folder), text);
}
