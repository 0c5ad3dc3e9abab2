/** What metrics the rules and the dashboards name, and which a process tells. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const RULES = 'deploy/monitoring/tidemark.rules.yml';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

export function rules(): readonly Rule[] {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** The expressions of a dashboard's panels. */
export function expressionsIn(dashboard: string): readonly string[] {
  const { panels } = JSON.parse(dashboard) as { panels: readonly { targets?: readonly { expr: string }[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

export type Metrics = ReadonlyMap<string, ReadonlySet<string>>;

/** The names that samples of these have, each with the labels of those that are there. @param text As `/metrics` has it. */
export function metricsIn(text: string): Metrics {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const ends = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const end of ends) found.set(`${name}${end}`, new Set());
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} \S+$/gm)) {
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  }
  return found;
}

/** Those that Prometheus adds to every sample. */
const OF_TARGETS = ['job', 'instance'];

/** The metrics of ours, of Node and of the process that an expression reads, each with the labels that it asks for. */
export function namedIn(expr: string): Metrics {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  const found = new Map<string, Set<string>>();
  for (const [, name = '', selector = ''] of expr.matchAll(/\b((?:tidemark|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
    const selected = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
    const labels = [...selected, ...grouped].filter((label) => !OF_TARGETS.includes(label));
    found.set(name, new Set([...(found.get(name) ?? []), ...labels]));
  }
  return found;
}

/** What of these no process tells: metrics, and labels of metrics that have samples. */
export function missingIn(metrics: Metrics, expressions: readonly string[]): readonly string[] {
  return expressions.flatMap((expr) =>
    [...namedIn(expr)].flatMap(([name, labels]) => {
      const known = metrics.get(name);
      if (known === undefined) return [name];
      return known.size === 0
        ? []
        : [...labels].filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
    }),
  );
}

/** The rows of the table of metrics: the labels of each, by its name. */
export function documented(): Metrics {
  const pages = ['docs/operations.md', 'docs/spool.md'].map((page) => readFileSync(page, 'utf8')).join('\n');
  const rows = pages.matchAll(/^\| `(tidemark_\w+)` +\|([^|]*)\|/gm);
  return new Map(
    [...rows].map(([, name = '', labels = '']) => {
      return [name, new Set([...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label))];
    }),
  );
}
