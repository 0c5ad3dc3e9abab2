import type { JsonText, Micros } from './message.ts';

/** A record of `AUDIENCE_CHANGE_TOPIC`: a user entered or left a saved audience, or is to be forgotten. */
export interface AudienceChange {
  /** The same whenever the same change is written again, and no other's of this user. */
  readonly messageId: string;
  readonly endpointId: string;
  readonly projectId: string;
  /** The internal user id; '' of a test. */
  readonly userKey: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly change: 'entered' | 'left' | 'forgotten' | 'test';
  /** When the audience was evaluated; of others when they were made. */
  readonly at: Micros;
  /** Null where the change is of no audience. */
  readonly audience: { readonly id: string; readonly name: string; readonly version: number } | null;
  readonly cause: string | null;
  /** A JSON object; null where none are asked for. */
  readonly traits: JsonText | null;
}
