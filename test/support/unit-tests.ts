import { existsSync, globSync, readFileSync } from 'node:fs';
import { importsOf } from './imports.ts';

/** What starts a process or a thread, opens an embedded store, or asks for a real server. */
const HEAVY = /^(?:node:(?:child_process|worker_threads|cluster)|chdb|@electric-sql\/pglite|test\/servers\/.*)$/;

/** What asks for a real server, or starts one. */
const SERVER = /^test\/servers\/(?:server|kafka|registry|postgres|clickhouse|shards|keeper)\.ts$/;

/** The tests that import it run by kafkajs too, at night. */
const KAFKA_CLIENT = /^test\/support\/event-log\/kafka-client\.ts$/;

/** The tests that import it run on servers too, at night. */
const TESTED_FORM = /^test\/support\/service\/tested-form\.ts$/;

/** Imports nothing heavy, and takes longer than five seconds all the same: it waits for the timeouts of real sockets. */
export const SLOW: readonly string[] = ['test/http/slow-clients.test.ts'];

/** The test files of each of vitest's projects. Every file is in one of the first four. */
export interface Projects {
  /** Those that import nothing heavy, through however many files, and are not slow. */
  readonly unit: readonly string[];
  /** With the stores of this process, and with processes of ours. */
  readonly embedded: readonly string[];
  /** With Kafka, Postgres, ClickHouse or a registry, some of them at night alone. */
  readonly servers: readonly string[];
  /** Named `*.long.test.ts`: long or random, for the night. */
  readonly long: readonly string[];
  /** Those that reach Kafka by the client of `KAFKA_CLIENT`, for the night as well. */
  readonly kafkajs: readonly string[];
  /** Those that run in the form of `TEST_FORM`, for the night as well. */
  readonly bothForms: readonly string[];
}

export function testProjects(): Projects {
  const tests = globSync('test/**/*.test.ts').sort();
  const testsWith = (target: RegExp) => tests.filter((file) => wayTo(target, file, readSource) !== undefined);
  return {
    unit: [],
    embedded: [],
    servers: [],
    long: [],
    ...Object.groupBy(tests, projectOf),
    kafkajs: testsWith(KAFKA_CLIENT),
    bothForms: testsWith(TESTED_FORM),
  };
}

function projectOf(file: string): keyof Projects {
  if (file.endsWith('.long.test.ts')) return 'long';
  if (!SLOW.includes(file) && wayTo(HEAVY, file, readSource) === undefined) return 'unit';
  return wayTo(SERVER, file, readSource) === undefined ? 'embedded' : 'servers';
}

/** The way from a test to the first heavy import: the files, then what the last one imports. */
export function heavyImport(file: string, textOf: (file: string) => string): string[] | undefined {
  return wayTo(HEAVY, file, textOf);
}

function wayTo(target: RegExp, file: string, textOf: (file: string) => string): string[] | undefined {
  const ways = [[file]];
  const seen = new Set([file]);
  for (const way of ways) {
    const last = way.at(-1) ?? file;
    for (const { to, kind } of importsOf(last, textOf(last))) {
      if (kind === 'type' || seen.has(to)) continue;
      if (target.test(to)) return [...way, to];
      seen.add(to);
      if (to.endsWith('.ts')) ways.push([...way, to]);
    }
  }
  return undefined;
}

const sources = new Map<string, string>();

function readSource(file: string): string {
  // A test names programs that do not exist where it shows what happens then.
  const text = sources.get(file) ?? (existsSync(file) ? readFileSync(file, 'utf8') : '');
  sources.set(file, text);
  return text;
}
