/** Debian's Prometheus (package `prometheus`), by which the alerts are tried. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../../servers/processes/ports.ts';
import { reapWithUs } from '../../servers/processes/reaped.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Where a program of the package is; undefined where this machine has none. @throws Error with `REQUIRE_SERVERS=1`. */
export function findProgram(name: 'prometheus' | 'promtool'): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined && process.env['REQUIRE_SERVERS'] === '1')
    throw new Error(`the tests need ${name}: apt-get install prometheus`);
  if (found === undefined) process.stderr.write(`no ${name} for these tests: apt-get install prometheus\n`);
  return found;
}

const PATIENCE = { timeout: 60_000, interval: 250 };

/** One that scrapes and judges every second. It is stopped when the test ends. */
export class RunningPrometheus {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** @param targets As `127.0.0.1:8080`, under the job `tidemark`. @param rules The text of the file. */
  static async start(program: string, targets: readonly string[], rules: string): Promise<RunningPrometheus> {
    const folder = await temporaryFolder();
    const port = await freePort();
    await writeFile(join(folder, 'rules.yml'), rules);
    const job = { job_name: 'tidemark', static_configs: [{ targets }] };
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: [job],
    };
    // JSON is YAML.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn(program, args, { stdio: 'ignore' });
    reapWithUs(child, 'SIGKILL');
    onTestFinished(() => ended(child));
    const prometheus = new RunningPrometheus(`http://127.0.0.1:${port}`);
    const areUp = () => prometheus.query('sum(up)').catch(() => []);
    await expect.poll(areUp, PATIENCE).toMatchObject([{ value: [expect.any(Number), String(targets.length)] }]);
    return prometheus;
  }

  async query(query: string): Promise<readonly Sample[]> {
    const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await response.json()) as { readonly data: { readonly result: readonly Sample[] } };
    return data.result;
  }

  /** The alerts that have fired within these seconds, or now. */
  async fired(withinS = 5): Promise<readonly string[]> {
    const found = await this.query(`group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[${withinS}s]))`);
    return found.map(({ metric }) => metric['alertname'] ?? '').sort();
  }
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atS: number, value: string];
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  await promise;
}
