/** What operators are answered, as far as the console uses it. */
import type { Json, RawNumber } from './json.ts';

export interface ReaderStatus {
  readonly state: string;
  readonly lag_messages: RawNumber | null;
  readonly lag_seconds: RawNumber | null;
  readonly messages_per_second: RawNumber;
}

export type ReaderName = 'projector' | 'sink' | 'import-projector' | 'import-sink';

export interface ProcessStatus {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  readonly state: 'running' | 'missing';
  readonly started_at: string;
  readonly seen_seconds_ago: RawNumber;
  readonly parts: Readonly<Record<string, string>>;
}

export interface Attention {
  readonly code: string;
  readonly reason: string;
  readonly link: string;
}

type ByStore = Readonly<Record<'postgres' | 'clickhouse', RawNumber>>;

/** `GET /v1/admin/status` */
export interface InstallationStatus {
  readonly version: string;
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
  readonly rates: Readonly<Record<'accepted' | 'refused' | 'projected' | 'stored', RawNumber>>;
  readonly readers: Readonly<Record<ReaderName, ReaderStatus>>;
  readonly newest_queryable_event: { readonly at: string; readonly age_seconds: RawNumber } | null;
  readonly processes: readonly ProcessStatus[] | null;
  readonly disk: {
    readonly folder: string;
    readonly total_bytes: RawNumber;
    readonly free_bytes: RawNumber;
    readonly used_bytes: RawNumber;
  } | null;
  readonly stored_bytes: Readonly<Record<'log' | 'profiles' | 'analytics', RawNumber | null>>;
  readonly attention: readonly Attention[];
}

/** `GET /v1/admin/partitions` */
export interface PartitionsPage {
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: RawNumber;
    readonly end: string;
    readonly unread: Readonly<Record<'profiles' | 'analytics', RawNumber>>;
  }[];
  readonly next_cursor: string | null;
}

/** `GET /v1/admin/generations` */
export interface Generations {
  readonly generations: readonly {
    readonly kind: 'profiles' | 'analytics';
    readonly number: RawNumber;
    readonly state: string;
    readonly messages: RawNumber;
    readonly behind: RawNumber;
  }[];
}

export interface VerificationJob {
  readonly id: string;
  readonly principal: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly progress: { readonly done: RawNumber; readonly total?: RawNumber } | null;
  readonly seconds_left: RawNumber | null;
  readonly result: {
    readonly equal: boolean;
    readonly hours_compared?: RawNumber;
    readonly hours_different?: RawNumber;
  } | null;
  readonly problem: { readonly detail?: Json } | null;
}

export interface VerifiedHour {
  readonly project: string;
  readonly hour: string;
  readonly messages: RawNumber;
  readonly repeats: RawNumber;
  readonly postgres: { readonly expected: RawNumber; readonly found: RawNumber };
  readonly clickhouse: { readonly expected: RawNumber; readonly found: RawNumber };
  readonly not_yet: ByStore;
  readonly equal: boolean;
}

/** `GET /v1/admin/verifications/{id}` */
export interface Verification {
  readonly verification: VerificationJob;
  readonly hours: readonly VerifiedHour[];
  readonly next_cursor: string | null;
}

/** `GET /v1/admin/verifications` */
export interface VerificationsPage {
  readonly verifications: readonly VerificationJob[];
  readonly last: { readonly finished_at: string } | null;
}

/** `GET /v1/status` */
export interface ProjectStatus {
  readonly hours:
    readonly { readonly hour: string; readonly messages: RawNumber; readonly repeats: RawNumber }[] | null;
  readonly refused_today: RawNumber | null;
  readonly lag_seconds: Readonly<Record<'profiles' | 'analytics', RawNumber | null>>;
  readonly verification?: {
    readonly finished_at: string;
    readonly hours_compared: RawNumber;
    readonly hours_different: RawNumber;
  } | null;
}
