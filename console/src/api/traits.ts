/** What the service answers about the past of a trait. */
import type { Json } from './json.ts';

interface TraitMessage {
  /** Null where the message's row is not known. */
  readonly message_id: string | null;
  readonly type: 'identify' | 'session' | null;
  readonly timestamp: string;
  readonly received_at: string;
}

export interface GivenValue extends TraitMessage {
  /** Null where the message deletes the trait. */
  readonly value: Json;
  /** `lost`: a newer one had arrived before, so that the trait never had this value. */
  readonly state: 'current' | 'replaced' | 'lost';
  readonly version: string;
  readonly newer: TraitMessage | null;
}

/** `GET /v1/users/{user_id}/traits/{name}/history`, newest first */
export interface TraitHistory {
  readonly values: readonly GivenValue[];
  readonly next_cursor: string | null;
}
