import type { Histogram, MetricValueWithName, Registry } from 'prom-client';

interface Definition {
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly bucketsS: readonly number[];
  readonly registry: Registry;
}

/** The durations of one combination of labels. */
export class Durations {
  readonly #bucketsS: readonly number[];
  /** One more than there are bounds: the last is what lies past them all. */
  readonly counts: number[];
  sumS = 0;

  constructor(bucketsS: readonly number[]) {
    this.#bucketsS = bucketsS;
    this.counts = Array.from({ length: bucketsS.length + 1 }, () => 0);
  }

  observe(ms: number): void {
    const seconds = ms / 1_000;
    this.sumS += seconds;
    let i = 0;
    while (seconds > (this.#bucketsS[i] ?? Infinity)) i++;
    this.counts[i] = (this.counts[i] ?? 0) + 1;
  }
}

/**
 * A Prometheus histogram for hot paths: whoever observes holds the `Durations` of its labels, where prom-client's own
 * checks, sorts and joins the labels at every observation (0.7 µs hot, 3 to 5 µs in a busy server).
 */
export class DurationHistogram {
  readonly name: string;
  readonly #definition: Definition;
  readonly #children: { readonly labels: Readonly<Record<string, string>>; readonly durations: Durations }[] = [];

  constructor(definition: Definition) {
    this.name = definition.name;
    this.#definition = definition;
    // A registry asks no more of a metric than its name and `get`.
    definition.registry.registerMetric(this as unknown as Histogram);
  }

  /** Call it once for each combination of labels. */
  child(labels: Readonly<Record<string, string>>): Durations {
    const durations = new Durations(this.#definition.bucketsS);
    this.#children.push({ labels, durations });
    return durations;
  }

  get(): Promise<object> {
    const { name, help } = this.#definition;
    const values = this.#children.flatMap(({ labels, durations }) => this.#valuesOf(labels, durations));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  #valuesOf(labels: Readonly<Record<string, string>>, { counts, sumS }: Durations): MetricValueWithName<string>[] {
    let count = 0;
    const buckets = counts.map((inBucket, i) => {
      count += inBucket;
      const le = this.#definition.bucketsS[i] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: count };
    });
    const sum = { metricName: `${this.name}_sum`, labels, value: sumS };
    return [...buckets, sum, { metricName: `${this.name}_count`, labels, value: count }];
  }
}
