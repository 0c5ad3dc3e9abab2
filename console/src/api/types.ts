/** What the service answers, by the names that the screens use. */
import type { Json, RawNumber } from './json.ts';
import type { Answer } from './answer.ts';

type SessionAnswer = Answer<'GET /console/session'>;
export type Session = NonNullable<SessionAnswer['session']>;
export type Project = Session['projects'][number];

export type Readiness = Answer<'GET /readyz'>;

export type Profile = Answer<'GET /v1/users/{user_id}'>;
export type UserEvent = Answer<'GET /v1/users/{user_id}/events'>['events'][number];

/** A row of `GET /v1/events/live`, a stream, whose events the document describes in words. */
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
