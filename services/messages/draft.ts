import type { Envelope, Identify, JsonText, Message, Micros, Problem, Track } from './message.ts';

/** What a caller says of a message, before it has arrived: without project, version and times of ours. */
interface DraftEnvelope {
  /** The caller's id of the user; null where an SDK knows only `anonymousId`: one of the two is there. */
  readonly userId: string | null;
  /** Names the user only where there is no user id. */
  readonly anonymousId: string | null;
  /** Null: the moment it arrives. */
  readonly timestamp: Micros | null;
  /** By the caller's clock, where `timestamp` is the corrected time; else null. */
  readonly originalTimestamp: Micros | null;
  /** Null: the caller leaves naming it to us. */
  readonly messageId: string | null;
  /** What of an SDK's call was mended or left out, with pointers from the call itself; null where it came as it is. */
  readonly adjusted: readonly Problem[] | null;
}

/** What a message of the type says besides, in the words of the log. */
type ContentOf<M extends Message> = Omit<M, keyof Envelope | keyof DraftEnvelope | 'sessionId'>;

export type IdentifyDraft = DraftEnvelope & ContentOf<Identify>;

export type TrackDraft = DraftEnvelope & ContentOf<Track>;

/** A call of identify or track, or an item of a batch. */
export type Draft = IdentifyDraft | TrackDraft;

/** A call of project-user. */
export interface ProjectUserDraft {
  readonly userId: string;
  readonly anonymous: boolean;
  readonly traits: JsonText;
  readonly messageId: string | null;
}

/** A call of add-event. Whether user and session belong together is not known yet. */
export interface AddEventDraft {
  /** The internal id: 64 hexadecimal digits. */
  readonly userKey: string;
  readonly sessionId: string;
  readonly event: string;
  readonly properties: JsonText;
  readonly messageId: string | null;
}
