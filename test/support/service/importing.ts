/** An import of a file into a log in memory, for each test a new one. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import type { ImportTask } from '../../../services/operations/import/begin.ts';
import { FileImport } from '../../../services/operations/import/file-import.ts';
import type { ImportHooks, ImportProgress, ImportResult } from '../../../services/operations/import/import-result.ts';
import type { ImportState } from '../../../services/operations/import/state.ts';
import type { ReadOptions } from '../../../services/operations/import/record-reader.ts';
import { IMPORT_TOPICS, type Message, type Problem } from '../../../services/messages/message.ts';
import { type GivenOptions, READ } from './import-records.ts';
import { MemoryLog } from '../event-log/memory-log.ts';
import { codec } from '../messages/messages.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export interface Given extends GivenOptions, Partial<Omit<ImportTask, keyof ReadOptions>> {
  readonly isDry?: boolean;
  readonly signal?: AbortSignal;
  readonly maxClockSkewMs?: number;
  readonly forgotten?: ImportHooks['forgotten'];
  readonly onProgress?: (progress: ImportProgress) => unknown;
}

/** A line of the report. */
interface Reported {
  readonly line: number;
  readonly errors: readonly Problem[];
  readonly text: string;
  /** Where there are several. */
  readonly file?: string;
}

export class ImportScene {
  readonly log = new MemoryLog();
  readonly folder: string;
  /** The file to be imported. */
  readonly path: string;
  readonly reportPath: string;
  readonly statePath: string;

  constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'history');
    this.reportPath = join(folder, 'refused.ndjson');
    this.statePath = join(folder, 'state.json');
  }

  run({
    isDry = false,
    signal,
    onProgress,
    forgotten,
    maxClockSkewMs = Infinity,
    ...given
  }: Given = {}): Promise<ImportResult> {
    const { log, path, reportPath, statePath } = this;
    const fixed = { project: 'proj_1', untimed: true, sources: [{ path }], reportPath, statePath };
    const task: ImportTask = { ...READ, ...fixed, ...(given as Partial<ImportTask>) };
    return FileImport.run(task, isDry ? undefined : { log, codec, maxClockSkewMs }, {
      onProgress: onProgress ?? (() => undefined),
      onTrouble: () => undefined,
      forgotten: forgotten ?? (() => new Map()),
      signal: signal ?? new AbortController().signal,
    });
  }

  /** Ends it after the first append that reaches this line. */
  runPartly(given: Given = {}, line = 0): Promise<ImportResult> {
    const stop = new AbortController();
    return this.run({ ...given, signal: stop.signal, onProgress: ({ lines }) => lines >= line && stop.abort() });
  }

  messages(): Message[] {
    return IMPORT_TOPICS.flatMap((topic) => this.log.records(topic, 0).map(({ value }) => codec.decode(topic, value)));
  }

  async reported(): Promise<Reported[]> {
    const lines = (await readFile(this.reportPath, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Reported);
  }

  async state(): Promise<ImportState> {
    return JSON.parse(await readFile(this.statePath, 'utf8')) as ImportState;
  }
}

export function importScene(): () => ImportScene {
  let scene: ImportScene;
  beforeEach(async () => {
    scene = new ImportScene(await temporaryFolder());
  });
  return () => scene;
}

export function trackLine(n: number): string {
  return JSON.stringify({ type: 'track', user_id: `u${n % 7}`, event: 'Paid', properties: { n } });
}

export function trackLines(count: number): string {
  return Array.from({ length: count }, (_, n) => `${trackLine(n)}\n`).join('');
}
