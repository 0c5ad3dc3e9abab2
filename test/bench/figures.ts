/** What a benchmark found: printed as a table, kept as JSON. */
import { cpus, totalmem } from 'node:os';

export interface Figure {
  readonly benchmark: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
}

export class Figures {
  readonly #figures: Figure[] = [];
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void = console.log) {
    this.#print = print;
  }

  add(benchmark: string, figures: Readonly<Record<string, readonly [value: number, unit: string]>>): void {
    for (const [figure, [value, unit]] of Object.entries(figures)) {
      this.#figures.push({ benchmark, figure, value, unit });
      this.#print(row({ benchmark, figure, value, unit }));
    }
  }

  toJSON(): object {
    const machine = { cpus: cpus().length, model: cpus()[0]?.model, memoryBytes: totalmem(), node: process.version };
    return { at: new Date().toISOString(), machine, figures: this.#figures };
  }
}

function row({ benchmark, figure, value, unit }: Figure): string {
  const shown = value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);
  return `${benchmark.padEnd(44)} ${figure.padEnd(36)} ${shown.padStart(12)} ${unit}`;
}

/** How often what a noisy machine decides is measured anew, from the start of the service. */
export const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);

/** The middle one; of an even number, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/**
 * The milliseconds of each, in turn and round by round, so that what else the machine does meets all alike. A first round,
 * which brings files into memory, does not count.
 */
export async function timesInTurn(
  ways: Readonly<Record<string, () => Promise<number>>>,
  rounds: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(ways)) {
      const tookMs = await run();
      if (round > 0) times.set(name, [...(times.get(name) ?? []), tookMs]);
    }
  }
  return times;
}
