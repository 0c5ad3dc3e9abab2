/** What the service answers about replays and imports, as far as the console uses it. */
import type { FieldProblem } from './client.ts';
import type { RawNumber } from './json.ts';

export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

/** `GET /v1/admin/jobs/{id}` */
export interface Job<Args, Result> {
  readonly id: string;
  readonly kind: string;
  readonly args: Args;
  readonly principal: string;
  readonly state: JobState;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly progress: JobProgress | null;
  readonly rate: RawNumber | null;
  readonly seconds_left: RawNumber | null;
  readonly result: Result | null;
  readonly problem: { readonly detail: string } | null;
}

export interface JobProgress {
  readonly phase?: string;
  readonly done: RawNumber;
  readonly total?: RawNumber;
  readonly unit?: string;
  readonly waiting?: string;
  readonly lines?: RawNumber;
  readonly accepted?: RawNumber;
  readonly refused?: RawNumber;
}

export interface ImportArgs {
  readonly project: string;
  readonly name: string;
  readonly file: string | null;
  readonly path: string | null;
  readonly host: string;
  readonly dry_run: boolean;
}

export interface ImportResult {
  readonly accepted: RawNumber;
  readonly refused: RawNumber;
  readonly lines: RawNumber;
}

/** `GET /v1/admin/imports/{id}` */
export type ImportJob = Job<ImportArgs, ImportResult>;

export interface ImportPage {
  readonly imports: readonly ImportJob[];
  readonly next_cursor: string | null;
}

/** `GET /v1/admin/imports/{id}/refused` */
export interface RefusedLines {
  readonly refused: readonly {
    readonly line: RawNumber;
    readonly errors: readonly FieldProblem[];
    readonly text: string;
    readonly cut: boolean;
  }[];
  readonly next_cursor: string | null;
}

/** `POST /v1/admin/imports/files` */
export interface ImportFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: RawNumber;
}

/** `POST /v1/admin/imports/preview` */
export interface ImportPreview {
  readonly format: 'ndjson' | 'csv';
  readonly columns: readonly { readonly name: string; readonly fills: string; readonly free: boolean }[];
  readonly rows: readonly {
    readonly line: RawNumber;
    readonly cells: readonly string[];
    readonly problems: readonly FieldProblem[];
  }[];
  readonly problem: string | null;
}

export type GenerationKind = 'profiles' | 'analytics';

/** `GET /v1/admin/generations` */
export interface Generation {
  readonly kind: GenerationKind;
  readonly number: RawNumber;
  readonly project: string | null;
  readonly state: 'live' | 'building' | 'former' | 'dropping' | 'dropped';
  readonly answers: readonly string[];
  readonly messages: RawNumber;
  readonly behind: RawNumber;
  readonly rate_limit: RawNumber | null;
  readonly created_at: string;
}

/** The result of a comparison. */
export interface BuiltGeneration {
  readonly same: boolean;
  readonly comparison: readonly {
    readonly what: string;
    readonly unit: string;
    readonly equal: RawNumber;
    readonly different: RawNumber;
    readonly missing: RawNumber;
    readonly extra: RawNumber;
    readonly undecided: RawNumber;
    readonly sample: readonly string[];
  }[];
}

export type ReplayJob = Job<{ readonly kind: string; readonly number?: RawNumber }, BuiltGeneration>;

/** `POST /v1/admin/generations?dry_run=true` */
export interface ReplayPlan {
  readonly resumes: RawNumber | null;
  readonly messages: RawNumber;
  readonly bytes: RawNumber;
  readonly seconds: RawNumber;
  readonly per_second: RawNumber;
  readonly basis: 'limit' | 'last replay' | 'assumed';
}
