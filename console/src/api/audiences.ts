/** What the service answers about audiences, as far as the console uses it. */
import type { Json, RawNumber } from './json.ts';

type Cause = 'first' | 'definition' | 'refresh';

export interface SavedAudience {
  readonly id: string;
  readonly name: string;
  readonly definition: Json;
  /** Of the definition. */
  readonly version: RawNumber;
  /** Of the audience: what `If-Match` names. */
  readonly revision: RawNumber;
  /** `1h`; null: only when asked. */
  readonly refresh: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly evaluation: { readonly at: string; readonly members: RawNumber } | null;
  /** The error code of the last evaluation, where it failed. */
  readonly failure: string | null;
}

/** `GET /v1/audiences` */
export interface AudiencePage {
  readonly audiences: readonly SavedAudience[];
  readonly next_cursor: string | null;
}

export interface HistoryEntry {
  readonly at: string;
  readonly version: RawNumber;
  readonly cause: Cause;
  readonly count: RawNumber;
  readonly entered: RawNumber;
  readonly left: RawNumber;
}

/** `GET /v1/audiences/{id}/history`, newest first */
export interface HistoryPage {
  readonly history: readonly HistoryEntry[];
  readonly next_cursor: string | null;
}

/** A line of `GET /v1/audiences/{id}/members` */
export interface Member {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
}

/** A line of `GET /v1/audiences/{id}/changes` */
export interface Change extends Member {
  readonly change: 'entered' | 'left';
  readonly at: string;
}

export interface AudienceVersion {
  readonly version: RawNumber;
  readonly definition: Json;
  readonly changed_at: string | null;
  /** The id of a key. */
  readonly changed_by: string | null;
}

/** `GET /v1/audiences/{id}/versions`, newest first */
export interface VersionPage {
  readonly versions: readonly AudienceVersion[];
  readonly next_cursor: string | null;
}

export interface Evidence {
  readonly message_id: string;
  readonly timestamp: string;
}

/** What became of one part of a definition. */
export interface Verdict {
  readonly path: string;
  readonly kind: 'all' | 'any' | 'not' | 'trait' | 'event';
  readonly condition: string;
  readonly is_met: boolean;
  readonly changes_at: string | null;
  readonly of?: readonly Verdict[];
  readonly value?: Json;
  readonly version?: { readonly timestamp: string; readonly is_deletion: boolean } | null;
  readonly count?: RawNumber;
  readonly events?: readonly Evidence[];
}

/** `GET /v1/audiences/{id}/why` */
export interface Why {
  readonly is_member: boolean;
  readonly evaluated_at: string;
  readonly changes_at: string | null;
  readonly why: Verdict;
}

/** One of `GET /v1/users/{user_id}/audiences` */
export interface UserAudience {
  readonly id: string;
  readonly name: string;
  readonly is_member: boolean;
  /** The evaluation that found the user to have entered or left. */
  readonly since: string | null;
  /** When `is_member` changes if nothing more happens. */
  readonly changes_at: string | null;
}

export interface UserAudiences {
  readonly audiences: readonly UserAudience[];
  readonly next_cursor: string | null;
}
