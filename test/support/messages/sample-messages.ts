import * as fc from 'fast-check';
import type {
  AudienceChange,
  DeadLetter,
  Identify,
  Message,
  ProjectRecord,
  Session,
  Track,
} from '../../../services/messages/message.ts';
import type { SnapshotEnd, UserSnapshot } from '../../../services/messages/snapshot.ts';
import { EARLIEST, END_OF_TIME } from '../../../services/messages/timestamp.ts';
import { userKeyOf } from '../../../services/messages/user-key.ts';

const envelope = {
  messageId: '01a1fe7a-7745-73bd-9d43-12c60d439066',
  messageIdGiven: true,
  projectId: 'proj_0123456789abcdefghij',
  userKey: userKeyOf('proj_0123456789abcdefghij', 'Jürgen 😀'),
  userId: 'Jürgen 😀',
  anonymousId: null,
  timestamp: -1n,
  receivedAt: 10_413_791_999_999_999n,
  version: '378cd1836b8000e39da571e8588abcde',
} as const;

/** One message of each type, with what is hardest to keep. */
export const IDENTIFY: Identify = {
  ...envelope,
  type: 'identify',
  source: 'identify',
  traits: '{"n":1e400,"ü":null}',
  context: '{"ip":"192.0.2.7"}',
  originalTimestamp: 10_413_791_999_999_998n,
  adjusted: '[{"path":"/timestamp","message":"is not a text: left out"}]',
};
export const TRACK: Track = {
  ...envelope,
  type: 'track',
  source: 'batch',
  userId: null,
  anonymousId: 'a',
  messageIdGiven: false,
  event: 'Order Completed',
  sessionId: 's-1',
  properties: '{"total":9007199254740993}',
  originalTimestamp: -2n,
  adjusted: '[{"path":"/properties","message":"is an empty list: taken as an empty object"}]',
};
export const SESSION: Session = {
  ...envelope,
  type: 'session',
  source: 'project-user',
  sessionId: 's-1',
  anonymous: true,
  traits: '{}',
};
export const PROJECT: ProjectRecord = {
  projectId: envelope.projectId,
  name: 'Büro 🛍',
  timezone: 'Europe/Berlin',
  rateLimit: 2.5,
  rateLimitBytes: 1_000_000n,
  queryMaxMs: 600_000n,
  queryMaxMemoryBytes: 2n ** 50n,
  queryMaxRows: 9_007_199_254_740_991n,
  createdAt: 10_413_791_999_999_999n,
  revision: 3n,
  deletedAt: null,
};
export const SNAPSHOT: UserSnapshot = {
  projectId: envelope.projectId,
  userKey: envelope.userKey,
  userId: 'Jürgen 🛒',
  anonymousId: null,
  firstSeen: -1n,
  lastSeen: 10_413_791_999_999_999n,
  readAt: 1_795_132_800_000_001n,
  anonymous: { value: true, version: envelope.version },
  sightings: [{ id: 'cookie', version: '0'.repeat(32) }],
  traits: [
    { name: 'n', value: '1e400', version: envelope.version },
    { name: 'gone', value: null, version: 'f'.repeat(32) },
  ],
};
export const SNAPSHOT_END: SnapshotEnd = {
  readAt: 1_795_132_800_000_002n,
  upTo: [{ topic: 'tidemark.track', partition: 3, offset: 9_007_199_254_740_993n }],
};
export const DEAD_LETTER: DeadLetter = {
  topic: 'tidemark.track',
  partition: 5,
  offset: 9_007_199_254_740_993n,
  key: Uint8Array.of(1, 2, 3),
  value: Uint8Array.of(0, 255),
  error: 'cannot be read: é',
  failedAt: 1_795_270_801_221_000n,
  reader: 'projector',
};

export const AUDIENCE_CHANGE: AudienceChange = {
  messageId: 'msg_0123456789abcdefghijklmn/1795270801221003',
  endpointId: 'end_0123456789abcdefghij',
  projectId: 'proj_0123456789abcdefghij',
  userKey: '2ad8939b32c5ee9b5aa118ac45e4bc125fa881957de4f5a8ac2d084c5fc8f9b2',
  userId: 'Jürgen 🛒',
  anonymousId: null,
  change: 'entered',
  at: 1_795_270_801_221_003n,
  audience: { id: 'aud_0123456789abcdefghij', name: 'Büro', version: 3 },
  cause: 'joined',
  person: '2ad8939b32c5ee9b5aa118ac45e4bc125fa881957de4f5a8ac2d084c5fc8f9b2',
  traits: '{"n":1e400,"plan":null}',
};

const text = fc.string({ unit: 'binary', maxLength: 80 });
const HEX_DIGITS = [...Array(16).keys()].map((digit) => digit.toString(16));
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...HEX_DIGITS), minLength: length, maxLength: length });
const micros = fc.bigInt({ min: EARLIEST, max: END_OF_TIME - 1n });

const anyEnvelope = {
  messageId: text,
  messageIdGiven: fc.boolean(),
  projectId: text,
  userKey: hex(64),
  userId: fc.option(text),
  anonymousId: fc.option(text),
  timestamp: micros,
  receivedAt: micros,
  version: hex(32),
  source: fc.constantFrom('identify', 'track', 'batch', 'project-user', 'add-event'),
} as const;

const anyTimes = { originalTimestamp: fc.option(micros), adjusted: fc.option(text) };

/** Any message at all; its JSON is any text. */
export const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ ...anyEnvelope, ...anyTimes, type: fc.constant('identify'), traits: text, context: fc.option(text) }),
  fc.record({
    ...anyEnvelope,
    ...anyTimes,
    type: fc.constant('track'),
    event: text,
    sessionId: fc.option(text),
    properties: text,
  }),
  fc.record({ ...anyEnvelope, type: fc.constant('session'), sessionId: text, anonymous: fc.boolean(), traits: text }),
);
