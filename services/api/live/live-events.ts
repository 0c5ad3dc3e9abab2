/**
 * `GET /v1/events/live`: what a project records, as server-sent events, read from the end of the log. It reads the log
 * only while somebody listens, and moves no reader's position.
 */
import { Readable } from 'node:stream';
import type { Call } from '../../http/call.ts';
import { type Refusal, renderRefusal } from '../../http/problems.ts';
import { encodeReceipt } from '../../messages/receipt/receipt.ts';
import { type ReceiptSigner, receiptSignerOf } from '../../messages/receipt/receipt-signer.ts';
import type { Answer } from '../../http/route.ts';
import { endAnswer } from '../../http/send.ts';
import { LIVE_TOPICS } from '../../messages/message.ts';
import { formatMicros } from '../../messages/timestamp.ts';
import type { Project } from '../../stores/projects/project-store.ts';
import type { Input } from '../input.ts';
import type { LiveFilter } from './record-filter.ts';
import { type LiveParts, LiveReader, type Matched, type PartitionEnd, type Tick } from './live-reader.ts';
import { readTraitChoice, type TraitChoice } from '../../stores/profiles/trait-choice.ts';
import type { TraitsParts } from '../audiences/user-lines.ts';
import { traitsOfUsers } from '../users/traits-of-users.ts';
import { given, refuseParameter } from '../query.ts';

/** A traits or properties text of more characters is cut: the whole is in the user's events. */
const MAX_CONTENT_CHARS = 8_000;
/**
 * Different filters that are listened to at once, each of which is read for by itself; half of them of one project. Where
 * all are taken, a project that has none gets one of whoever has most.
 */
const MAX_READERS = 16;

type TraitsOfUser = Awaited<ReturnType<typeof traitsOfUsers>>;

interface UsedReader {
  readonly projectId: string;
  readonly reader: LiveReader;
  readonly listeners: Set<Call>;
}

/** The readings that listeners with equal filters share. */
export class LiveReaders {
  readonly #parts: LiveParts & TraitsParts;
  readonly #used = new Map<string, UsedReader>();

  constructor(parts: LiveParts & TraitsParts) {
    this.#parts = parts;
  }

  /** A reader, and how to leave it; undefined where too many filters are listened to. */
  take(
    call: Call,
    filter: LiveFilter,
    traits: TraitChoice,
  ): { readonly reader: LiveReader; readonly leave: () => void } | undefined {
    const { project } = call;
    const name = `${project.id} ${JSON.stringify([filter, traits.names])}`;
    const used = this.#used.get(name) ?? this.#make(project, filter, traits);
    if (used === undefined) return undefined;
    this.#used.set(name, used);
    used.listeners.add(call);
    const leave = (): void => {
      used.listeners.delete(call);
      if (used.listeners.size === 0 && this.#used.get(name) === used) this.#used.delete(name);
    };
    return { reader: used.reader, leave };
  }

  #make(project: Project, filter: LiveFilter, traits: TraitChoice): UsedReader | undefined {
    const own = [...this.#used.values()].filter(({ projectId }) => projectId === project.id);
    if (own.length >= MAX_READERS / 2) return undefined;
    if (this.#used.size >= MAX_READERS && (own.length > 0 || !this.#makeRoom())) return undefined;
    const signer = receiptSignerOf(project);
    const reader = new LiveReader(this.#parts, project.id, filter, async (tick) =>
      eventOf(tick, signer, await this.#traitsOf(project, tick, traits)),
    );
    return { projectId: project.id, reader, listeners: new Set() };
  }

  /** A stream goes on where profiles cannot be reached: its rows have no traits then. */
  #traitsOf(project: Project, { matched }: Tick, traits: TraitChoice): Promise<TraitsOfUser> {
    const users = matched.map(({ message }) => message);
    return traitsOfUsers(this.#parts, project.id, users, traits).catch((): TraitsOfUser => () => '');
  }

  /** Ends the newest reading of whoever has most. False where nobody has two. */
  #makeRoom(): boolean {
    const byProject = [...Map.groupBy(this.#used, ([, { projectId }]) => projectId).values()];
    const most = byProject.reduce((one, other) => (other.length > one.length ? other : one));
    const newest = most.at(-1);
    if (most.length < 2 || newest === undefined) return false;
    const [name, { listeners }] = newest;
    this.#used.delete(name);
    for (const listener of listeners) endAnswer(listener, TOO_MANY_FILTERS);
    return true;
  }
}

const TOO_MANY_FILTERS: Refusal = {
  refused: 'overloaded',
  detail: 'As many different filters as this process may read for are being listened to. Send it again later.',
};

/** @throws TidemarkError `LOG_UNAVAILABLE` where the log cannot be read now. */
export async function answerLive(
  parts: LiveParts & TraitsParts,
  call: Call,
  { seconds, recent: rows, user_id: userId, traits: named, ...filter }: Input<'GET /v1/events/live'>['query'],
  readers = new LiveReaders(parts),
): Promise<Answer | Refusal> {
  const id = call.headers['last-event-id'];
  const after = typeof id === 'string' ? decodeEnds(id) : undefined;
  if (id !== undefined && after === undefined) {
    return refuseParameter('Last-Event-ID', 'is not an id of this stream').refusal;
  }
  const traits = readTraitChoice(named);
  if (!traits.ok) return refuseParameter('traits', traits.message).refusal;
  const used = readers.take(call, { ...filter, ...given({ userId }) }, traits.value);
  if (used === undefined) return TOO_MANY_FILTERS;
  const { reader, leave } = used;
  const ends = [call.signal, parts.stopping, seconds === undefined ? undefined : AbortSignal.timeout(seconds * 1_000)];
  const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    const now = await reader.now();
    const from = after ?? now;
    const recent = rows === undefined || after !== undefined ? '' : await reader.recent(from, rows, signal);
    return {
      status: 200,
      type: 'text/event-stream',
      body: Readable.from(streamOf(reader, { recent, from }, signal), { objectMode: false, highWaterMark: 1 }),
      lastWords: (why) => `event: end\ndata: ${renderRefusal(why, 'problem').body}\n\n`,
      // Proxies pass on what they get at once.
      headers: { 'X-Accel-Buffering': 'no' },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

/** The stream's text, event by event, until the listener has gone. */
async function* streamOf(
  reader: LiveReader,
  { recent, from }: { readonly recent: string; readonly from: readonly PartitionEnd[] },
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `retry: 2000\n\n${recent}`;
  yield* reader.events(from, signal);
}

function eventOf(
  { matched, seen, lagMs, skipped = 0n, isRecent = false, ends }: Tick,
  signer: ReceiptSigner,
  traitsOf: TraitsOfUser,
): string {
  const rows = matched.map((one) => liveRowOf(one, signer, traitsOf(one.message)));
  const counts = `"seen":${seen},"shown":${rows.length},"skipped":${skipped},"lag_ms":${lagMs}`;
  const data = `{"rows":[${rows.join(',')}],${counts}${isRecent ? ',"recent":true' : ''}}`;
  return `id: ${encodeEnds(ends)}\ndata: ${data}\n\n`;
}

function liveRowOf({ message, at }: Matched, signer: ReceiptSigner, userTraits: string): string {
  const { type, messageId, userId, anonymousId, userKey, timestamp, receivedAt, source } = message;
  const content = type === 'track' ? message.properties : message.traits;
  const acceptedAtMs = Number(receivedAt / 1000n);
  const isCut = content.length > MAX_CONTENT_CHARS;
  const head = JSON.stringify({
    type,
    ...(type === 'track' && { event: message.event }),
    user_id: userId,
    anonymous_id: anonymousId,
    internal_id: userKey,
    message_id: messageId,
    timestamp: formatMicros(timestamp),
    received_at: formatMicros(receivedAt),
    source,
    log: { topic: at.topic, partition: at.partition, offset: String(at.offset) },
    receipt: encodeReceipt(signer, acceptedAtMs, [at]),
    ...(isCut && { cut: true }),
  });
  const adjusted = type === 'session' || message.adjusted === null ? '' : `,"adjusted":${message.adjusted}`;
  return `${head.slice(0, -1)}${adjusted}${userTraits},"${type === 'track' ? 'properties' : 'traits'}":${isCut ? '{}' : content}}`;
}

function encodeEnds(ends: readonly PartitionEnd[]): string {
  return ends
    .map(
      ({ topic, partition, offset }) =>
        `${LIVE_TOPICS.indexOf(topic as (typeof LIVE_TOPICS)[number])}.${partition}.${offset}`,
    )
    .join('-');
}

const MAX_ID_LENGTH = 8_000;
const END = /^([0-2])\.(\d{1,6})\.(\d{1,18})$/;

function decodeEnds(id: string): readonly PartitionEnd[] | undefined {
  if (id.length > MAX_ID_LENGTH) return undefined;
  const ends = id.split('-').map((text): PartitionEnd | undefined => {
    const [, topic, partition, offset] = END.exec(text) ?? [];
    if (topic === undefined || partition === undefined || offset === undefined) return undefined;
    return { topic: LIVE_TOPICS[Number(topic)] ?? '', partition: Number(partition), offset: BigInt(offset) };
  });
  return ends.every((end) => end !== undefined) ? ends : undefined;
}
