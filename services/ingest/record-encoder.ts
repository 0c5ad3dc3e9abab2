/** Request bodies → records, or everything that is wrong with the body. The one place where ingest makes records. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Appended, EncodedRecords } from '../event-log/event-log.ts';
import { encodeReceipt } from '../messages/receipt/receipt.ts';
import { type Arrival, arrivalOf, countByType, encoded, type MessageRecord, stamped } from '../messages/arrival.ts';
import { Codec } from '../messages/codec.ts';
import type { AddEventDraft, Draft, ProjectUserDraft } from '../messages/draft.ts';
import { readJson, type ReadJson } from '../messages/json.ts';
import type { Message, Micros } from '../messages/message.ts';
import { idempotentMessageId, messageIdAt } from '../messages/message-id.ts';
import { EmbeddedSchemaIds } from '../messages/schema-ids.ts';
import { validateSdk } from '../messages/sdk/validate-sdk.ts';
import { isSdkBatch, isSdkCall } from '../messages/sdk/sdk-call.ts';
import { unacceptableIn } from '../messages/unacceptable.ts';
import { userKeyOf } from '../messages/user-key.ts';
import {
  type Refused,
  validateAddEvent,
  validateBatch,
  validateProjectUser,
  validateTidied,
} from '../messages/validate.ts';
import {
  type AcceptedBody,
  type BodyToEncode,
  type JobFacts,
  readBodyJob,
  writeAccepted,
  writeProblems,
} from './encode-job.ts';
import { ignoredIn } from './ignored-members.ts';
import { type Adjusted, adjustedIn } from './adjusted.ts';
import { type SortedItems, sortItems, sortSdkItems } from './lenient.ts';

/** The records of one body, and what is to be known of them. */
export interface EncodedBody {
  readonly ok: true;
  readonly records: readonly MessageRecord[];
  /** In the order given; null for an item that was left out. */
  readonly messageIds: readonly (string | null)[];
  /** @param receipt Null where the positions of the records in the log are not known. */
  readonly accepted: (receipt: string | null) => AcceptedBody;
}

interface ReadBody {
  readonly ok: true;
  readonly arrivals: readonly Arrival[];
  readonly details: string;
  readonly rejected?: number;
  /** Pointers to members that nothing reads. */
  readonly ignored?: readonly string[];
  /** Present for a body in the form of an SDK. */
  readonly adjusted?: Adjusted;
  /** Present for a lenient batch: the index of each arrival, and the number of items. */
  readonly indexes?: readonly number[];
  readonly itemCount?: number;
}

/** The same job makes the same records in any thread, but for the random part of a new session's id. */
export function encodeBody(facts: JobFacts, body: BodyToEncode, codec: Pick<Codec, 'encode'>): EncodedBody | Refused {
  const read = readArrivals(facts, body);
  if (!read.ok) return read;
  const messages = stampAll(facts, body, read);
  const messageIds = idsInPlace(messages, read);
  const accepted = (receipt: string | null): AcceptedBody => ({
    counts: countByType(messages),
    receipt,
    messageIds: JSON.stringify(messageIds),
    rejected: read.rejected ?? 0,
    details: read.details,
    ignored: jsonOf(read.ignored),
    adjusted: jsonOf(read.adjusted?.listed),
    adjustedMessages: read.adjusted?.messages ?? 0,
  });
  return { ok: true, records: messages.map((message) => encoded(message, codec)), messageIds, accepted };
}

/** '' where there are none. */
function jsonOf(list: readonly unknown[] = []): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}

let embeddedCodec: Codec | undefined;

/** What the embedded log's writer thread runs, see event-log/event-log.ts. */
export function encodeRecords(given: unknown, bytes: Buffer): EncodedRecords {
  const facts = given as JobFacts;
  const body = encodeBody(facts, readBodyJob(bytes), (embeddedCodec ??= new Codec(new EmbeddedSchemaIds())));
  if (!body.ok) return { records: [], result: () => writeProblems(body.problems) };
  return {
    records: body.records,
    result: (appended) => writeAccepted(body.accepted(receiptOf(facts, appended[0]?.appendedAtMs ?? 0, appended))),
  };
}

export function receiptOf({ signer }: JobFacts, acceptedAtMs: number, appended: readonly Appended[]): string {
  return encodeReceipt(signer, acceptedAtMs, appended);
}

function stampAll(facts: JobFacts, body: BodyToEncode, { arrivals, indexes }: ReadBody): readonly Message[] {
  const { projectId, processBits } = facts;
  const { firstId, idempotencyKey } = body;
  const receivedAt = body.receivedAt(arrivals.length);
  return arrivals.map((arrival, i) => {
    const index = indexes?.[i] ?? i;
    const isKeyed = idempotencyKey !== '';
    const named = isKeyed
      ? (arrival.messageId ?? idempotentMessageId(projectId, idempotencyKey, index))
      : (arrival.messageId ?? messageIdAt(firstId, index));
    return stamped(arrival, {
      projectId,
      messageId: named,
      messageIdGiven: arrival.messageId !== null || isKeyed,
      receivedAt: receivedAt + BigInt(i),
      processBits,
    });
  });
}

function idsInPlace(messages: readonly Message[], { indexes, itemCount = 0 }: ReadBody): readonly (string | null)[] {
  const ids = messages.map(({ messageId }) => messageId);
  if (indexes === undefined) return ids;
  const all = Array.from<string | null>({ length: itemCount }).fill(null);
  for (const [i, index] of indexes.entries()) all[index] = ids[i] ?? null;
  return all;
}

function readArrivals(facts: JobFacts, { text, arrivedAt }: BodyToEncode): ReadBody | Refused {
  const { source, timezone } = facts;
  const read = readJson(text);
  if (!read.ok) return read;
  if (source === 'batch') return readBatch(facts, read, arrivedAt);
  const { value: body, isSuspect } = read;
  const isCall = source !== 'project-user' && source !== 'add-event';
  if (isCall && isSdkCall(body.plain)) {
    const call = validateSdk(body, source, { timezone, arrivedAt, form: 'sdk', isSuspect });
    if (!call.ok) return call;
    const drafts = readDrafts(facts, [call.draft]);
    return call.draft.adjusted === null ? drafts : { ...drafts, adjusted: adjustedIn([call.draft]) };
  }
  const problems = isSuspect ? unacceptableIn(body.exact, []) : [];
  if (problems.length > 0) return { ok: false, problems };
  if (isCall) {
    const call = validateTidied(body, source, { timezone, arrivedAt }, '');
    return call.ok ? readDrafts(facts, [call.draft], ignoredIn(body.plain, source)) : call;
  }
  if (source === 'project-user') {
    const user = validateProjectUser(body);
    return user.ok ? readProjectUser(facts, user.draft) : user;
  }
  const event = validateAddEvent(body);
  return event.ok ? readAddEvent(facts, event.draft) : event;
}

function readDrafts(
  { projectId, source }: JobFacts,
  drafts: readonly Draft[],
  ignored: readonly string[] = [],
): ReadBody {
  return { ok: true, arrivals: drafts.map((draft) => arrivalOf(projectId, draft, source)), details: '', ignored };
}

type ReadBatch = Extract<ReadJson, { ok: true }>;

/** All of a batch or nothing; of one that is lenient, or of an SDK, which cannot ask for that, the valid items. */
function readBatch(facts: JobFacts, read: ReadBatch, arrivedAt: Micros): ReadBody | Refused {
  if (isSdkBatch(read.value.plain)) return readSdkItems(facts, read, arrivedAt);
  return facts.isLenient ? readValidItems(facts, read, arrivedAt) : readWholeBatch(facts, read, arrivedAt);
}

function readWholeBatch(facts: JobFacts, { value, isSuspect }: ReadBatch, arrivedAt: Micros): ReadBody | Refused {
  const unacceptable = isSuspect ? unacceptableIn(value.exact, []) : [];
  if (unacceptable.length > 0) return { ok: false, problems: unacceptable };
  const batch = validateBatch(value, facts.timezone, arrivedAt);
  return batch.ok ? readDrafts(facts, batch.drafts, ignoredIn(value.plain, facts.source)) : batch;
}

function readValidItems(facts: JobFacts, read: ReadBatch, arrivedAt: Micros): ReadBody | Refused {
  const sorted = sortItems(read, { timezone: facts.timezone, arrivedAt, form: 'own' });
  if (!sorted.ok) return sorted;
  return { ...readSorted(facts, sorted), ignored: ignoredIn(read.value.plain, facts.source) };
}

function readSdkItems(facts: JobFacts, read: ReadBatch, arrivedAt: Micros): ReadBody | Refused {
  const sorted = sortSdkItems(read, { timezone: facts.timezone, arrivedAt });
  if (!sorted.ok) return sorted;
  const adjusted = adjustedIn(sorted.drafts, sorted.indexes, sorted.adjusted);
  const isWhole = sorted.rejected.length === 0 && !facts.isLenient;
  return { ...(isWhole ? readDrafts(facts, sorted.drafts) : readSorted(facts, sorted)), adjusted };
}

function readSorted(facts: JobFacts, { drafts, indexes, rejected, count }: Sorted): ReadBody {
  const details = JSON.stringify(rejected);
  return { ...readDrafts(facts, drafts), details, rejected: rejected.length, indexes, itemCount: count };
}

type Sorted = Extract<SortedItems, { ok: true }>;

function readProjectUser({ projectId: id, sessionSecret }: JobFacts, draft: ProjectUserDraft): ReadBody {
  const userKey = userKeyOf(id, draft.userId);
  const sessionId = newSessionId({ id, sessionSecret }, userKey);
  const session = { type: 'session', source: 'project-user', userKey, sessionId, ...ABSENT } as const;
  const details = JSON.stringify({ user_id: userKey, session_id: sessionId });
  return { ok: true, arrivals: [{ ...session, ...draft }], details };
}

function readAddEvent({ projectId: id, sessionSecret }: JobFacts, draft: AddEventDraft): ReadBody | Refused {
  if (!isSessionOf({ id, sessionSecret }, draft.userKey, draft.sessionId)) return { ok: false, problems: NO_PAIR };
  const track = { type: 'track', source: 'add-event', userId: null, originalTimestamp: null, adjusted: null } as const;
  return { ok: true, arrivals: [{ ...track, ...ABSENT, ...draft }], details: '' };
}

/** What the two-step interface has no field for. */
const ABSENT = { anonymousId: null, timestamp: null } as const;

const NO_PAIR = [
  { path: '/session_id', message: 'is no session of this user_id: both must come from one answer of project-user' },
];

type SessionSigner = { readonly id: string; readonly sessionSecret: Uint8Array };

const NONCE_BYTES = 16;
const SIGNATURE_BYTES = 16;

/**
 * A new session of a user: 16 random bytes and their signature together with the user and the project, in base64url. So
 * any process, years later, can tell a pair of ours from a made-up one without looking anything up.
 */
export function newSessionId(project: SessionSigner, userKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, sign(project, userKey, nonce)]).toString('base64url');
}

/** Whether this project gave this session to this user. */
export function isSessionOf(project: SessionSigner, userKey: string, sessionId: string): boolean {
  const bytes = Buffer.from(sessionId, 'base64url');
  if (bytes.length !== NONCE_BYTES + SIGNATURE_BYTES || bytes.toString('base64url') !== sessionId) return false;
  const expected = sign(project, userKey, bytes.subarray(0, NONCE_BYTES));
  return timingSafeEqual(expected, bytes.subarray(NONCE_BYTES));
}

function sign({ id, sessionSecret }: SessionSigner, userKey: string, nonce: Uint8Array): Buffer {
  const mac = createHmac('sha256', sessionSecret).update(nonce).update(`${id.length}:${id}${userKey}`);
  return mac.digest().subarray(0, SIGNATURE_BYTES);
}
