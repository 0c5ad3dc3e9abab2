/** What the service answers, as far as the console uses it. The OpenAPI document describes the whole. */
import type { Json, RawNumber } from './json.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly timezone: string;
}

export interface Session {
  readonly key_id: string;
  readonly scopes: readonly string[];
  /** One for a key of a project, all for an admin key. */
  readonly projects: readonly Project[];
  readonly expires_at: string;
}

/** `GET /console/session`: null before the sign-in. */
export interface SessionAnswer {
  readonly session: Session | null;
}

/** `GET /readyz` */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, string>>;
}

/** `GET /v1/users/{user_id}` */
export interface Profile {
  readonly user_id: string | null;
  readonly internal_id: string;
  readonly anonymous: boolean;
  readonly anonymous_ids: readonly string[];
  readonly traits: Readonly<Record<string, Json>>;
  readonly first_seen: string;
  readonly last_seen: string;
}

export interface UsersPage {
  readonly users: readonly Profile[];
  readonly next_cursor: string | null;
}

export interface UserEvent {
  readonly message_id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly received_at: string;
  readonly session_id: string | null;
  readonly anonymous_id: string | null;
  readonly properties: Readonly<Record<string, Json>>;
}

export interface EventsPage {
  readonly events: readonly UserEvent[];
  readonly next_cursor: string | null;
}

/** A row of `GET /v1/events/live` */
export interface LiveRow {
  readonly type: 'track' | 'identify' | 'session';
  readonly event?: string;
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
  readonly message_id: string;
  readonly timestamp: string;
  readonly received_at: string;
  readonly receipt?: string;
  readonly log: { readonly topic: string; readonly partition: RawNumber; readonly offset: string };
  readonly cut?: boolean;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly traits?: Readonly<Record<string, Json>>;
}

/** `GET /v1/receipts/{receipt}` */
export interface ReceiptState {
  readonly accepted_at: string;
  readonly projected: boolean;
  readonly queryable: boolean;
}
