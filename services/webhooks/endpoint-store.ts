/** Endpoints of webhooks. They are not in the log, a replay does not change them, and the backup of the projects has them. */
import type { Micros } from '../messages/message.ts';
import type { BodyFormat } from './formats.ts';
import type { Lease } from '../stores/database/leases.ts';

/** What an endpoint of a project may be told of. */
export const PROJECT_TYPES = [
  'audience.changed',
  'user.forgotten',
  'dead_letter.waiting',
  'watch.raised',
  'watch.ended',
  'attention.raised',
  'attention.ended',
] as const;
/** What an endpoint of the installation may be told of. */
export const INSTALLATION_TYPES = [
  'dead_letter.waiting',
  'verification.differs',
  'attention.raised',
  'attention.ended',
] as const;

export type WebhookType = (typeof PROJECT_TYPES)[number] | (typeof INSTALLATION_TYPES)[number];
/** What is no change of an audience. */
export type NoticeType = Exclude<WebhookType, 'audience.changed'>;

/** Sent when a caller asks for it, to every endpoint. */
export const TEST_TYPE = 'endpoint.test';

export interface EndpointSettings {
  readonly url: string;
  /** What the body of a message is. */
  readonly format: BodyFormat;
  /** For people. */
  readonly description: string | null;
  readonly types: readonly WebhookType[];
  /** Ids; null: every audience of the project, later ones too. */
  readonly audiences: readonly string[] | null;
  /** Which traits stand beside each user, as the parameter `traits` names them; null for none. */
  readonly traits: string | null;
  /** Whether the users who are in an audience when the endpoint begins with it are sent as having entered. */
  readonly initial: 'members' | 'none';
  /** The most changes that a message has. */
  readonly batchSize: number;
}

export interface Endpoint extends EndpointSettings {
  /** `end_` and 20 lower-case letters and digits. */
  readonly id: string;
  /** Null: it is the installation's. */
  readonly projectId: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Why nothing is sent to it: it answered 410, a caller disabled it, or it was restored for a drill. Null: it is enabled. */
  readonly disabled: 'gone' | 'request' | 'drill' | null;
  /** Until when messages are signed by the secret before, too; null where they are not. */
  readonly oldSecretUntilMs: number | null;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  /** Nothing is sent before; null where nothing failed. */
  readonly nextAttemptAtMs: number | null;
  /** When the oldest message that it does not have was made, or could have been; null where it has all. */
  readonly waitingSinceMs: number | null;
}

/** An endpoint, with a secret that is shown once. */
export interface EndpointWithSecret {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

export type NewEndpoint = EndpointSettings & { readonly isEnabled?: boolean };
export type EndpointChanges = Partial<Required<NewEndpoint>>;

export interface Delivery {
  /** The `webhook-id`. */
  readonly id: string;
  readonly endpointId: string;
  readonly type: WebhookType | typeof TEST_TYPE;
  /** `waiting`: it is sent, or sent again, as soon as it may. `failed`: it is not sent again by itself. */
  readonly state: 'waiting' | 'delivered' | 'failed';
  readonly createdAtMs: number;
  readonly audienceId: string | null;
  /** How many changes it has. */
  readonly changes: number;
  readonly attempts: number;
  /** The last attempt; null before the first. */
  readonly lastAttempt: LastAttempt | null;
  /** Its position in the list. */
  readonly sequence: bigint;
}

export interface LastAttempt {
  readonly atMs: number;
  /** That was answered; null where no answer came, and of a topic. */
  readonly status: number | null;
  /** In words, why no answer came, or why it is no success. */
  readonly error: string | null;
  readonly tookMs: number;
  /** The first 200 bytes of the answer. */
  readonly answer: string;
}

export interface DeliveriesQuery {
  readonly limit: number;
  readonly state?: Delivery['state'];
  /** Only those before this one. */
  readonly before?: bigint;
}

/** The most endpoints that a project has, and the installation. */
export const MAX_ENDPOINTS = 20;
/** How long a delivery is kept once it waits no more. */
export const KEPT_DELIVERY_DAYS = 7;
/** The most deliveries of an endpoint that are kept. */
export const MAX_KEPT_DELIVERIES = 100_000;

/** The lease of an endpoint that is to be sent to. */
export interface EndpointClaim extends Lease {
  readonly endpoint: Endpoint;
  /** The newest first. */
  readonly secrets: readonly string[];
}

/** A test that another process left to this one: no lease. */
export interface LeftTest extends EndpointClaim {
  /** The `webhook-id`. */
  readonly testId: string;
}

/** A point in the history of an audience: see `endpoint_positions`. */
export interface AudiencePosition {
  /** Whether the members after the evaluation `at` are being sent. */
  readonly isInitial: boolean;
  readonly at: Micros;
  /** Internal id: only users of `at` up to this one are behind it. Null: all of them; of members none. */
  readonly afterUser: string | null;
}

/** A part of the history of an audience: what is after `from`, up to and including `to`. */
export interface AudienceRange {
  readonly audienceId: string;
  readonly audienceName: string;
  readonly from: AudiencePosition;
  readonly to: AudiencePosition;
  /** How many changes were found there. */
  readonly changes: number;
}

/** A message that is to be sent. */
export interface WaitingDelivery {
  readonly id: string;
  readonly createdAtMs: number;
  readonly range: AudienceRange;
}

/** A message that is to be sent, and is no change of an audience. */
export interface WaitingNotice {
  readonly id: string;
  readonly type: NoticeType;
  readonly createdAtMs: number;
  /** JSON: its member `data`. */
  readonly notice: string;
}

export type WaitingMessage = WaitingDelivery | WaitingNotice;

/** An audience of which the endpoint does not have everything. */
export interface AudienceBehind {
  readonly audienceId: string;
  readonly audienceName: string;
  readonly position: AudiencePosition;
}

/** How often it is tried again is a matter of the caller's. */
export interface FailedAttempt {
  readonly attempt: LastAttempt;
  readonly nextInMs: number;
  /** It answered that it is gone: it is disabled. */
  readonly isGone: boolean;
}
