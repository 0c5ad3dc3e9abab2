/** Which messages a listener of the live stream wants. */
import { type Message, topicOf } from '../messages/message.ts';
import { type Checked, readIfGiven, readName, refuseParameter, single } from './query.ts';

/** Which messages a listener wants; what is left out takes every message. */
export interface LiveFilter {
  readonly type?: Message['type'];
  readonly event?: string;
  readonly userId?: string;
  /** A text that the traits or properties contain, as JSON. */
  readonly text?: string;
}

export function matches(message: Message, { type, event, userId, text }: LiveFilter): boolean {
  if (type !== undefined && message.type !== type) return false;
  if (event !== undefined && (message.type !== 'track' || message.event !== event)) return false;
  if (userId !== undefined && message.userId !== userId && message.anonymousId !== userId) return false;
  const content = message.type === 'track' ? message.properties : message.traits;
  return text === undefined || content.includes(text);
}

/**
 * Judges records by their bytes: decoding takes ten times as long as that, on the thread that answers requests, and a
 * listener reads every record of the log. What it says is exact for records that can be decoded.
 */
export class RecordFilter {
  readonly #projectId: Buffer;
  /** Where alone such records are; undefined for anywhere. */
  readonly #topic: string | undefined;
  /** Texts of which the bytes of a wanted record contain each. */
  readonly #contained: readonly Buffer[];

  constructor(projectId: string, { type, event, userId, text }: LiveFilter) {
    this.#projectId = Buffer.from(projectId);
    const wanted = event === undefined ? type : 'track';
    this.#topic = wanted && topicOf({ type: wanted });
    this.#contained = [event, userId, text].filter((one) => one !== undefined).map((one) => Buffer.from(one));
  }

  /** `undecided` is to be decoded. */
  judge(topic: string, bytes: Uint8Array): 'matches' | 'other' | 'undecided' {
    if (this.#topic !== undefined && topic !== this.#topic) return 'other';
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isOurs = isOfProject(value, this.#projectId);
    // A record of a foreign writer may have its fields in another order.
    if (!isOurs && !value.includes(this.#projectId)) return 'other';
    for (const text of this.#contained) if (!value.includes(text)) return 'other';
    return isOurs && this.#contained.length === 0 ? 'matches' : 'undecided';
  }
}

const FRAME_BYTES = 5;

/** Every schema of ours begins with `message_id`, `message_id_given` and `project_id`: strings with their length before them. */
function isOfProject(value: Buffer, projectId: Buffer): boolean {
  // Lengths of up to 63 bytes are one byte, twice the length; of up to 8,191 bytes two.
  const [first = 0, second = 0] = [value[FRAME_BYTES], value[FRAME_BYTES + 1]];
  const idBytes = first < 128 ? 1 + (first >> 1) : 2 + (((first & 127) | (second << 7)) >> 1);
  const at = FRAME_BYTES + idBytes + 1;
  if (value[at] !== projectId.length * 2 || value.length <= at + projectId.length) return false;
  return value.compare(projectId, 0, projectId.length, at + 1, at + 1 + projectId.length) === 0;
}

export const LIVE_PARAMETERS: readonly string[] = ['type', 'event', 'user_id', 'text', 'seconds'];
const MESSAGE_TYPES: readonly string[] = ['identify', 'track', 'session'] satisfies readonly Message['type'][];

/** Reads a listener's filter, and for how many seconds it listens. */
export function readFilter(query: URLSearchParams): Checked<LiveFilter & { readonly seconds?: number }> {
  const type = single(query, 'type', readType);
  if (!type.ok) return type;
  const event = single(query, 'event', (text) => readIfGiven(text, (name) => readName('event', name)));
  if (!event.ok) return event;
  const userId = single(query, 'user_id', (text) => readIfGiven(text, (id) => readName('user_id', id)));
  if (!userId.ok) return userId;
  const contained = single(query, 'text', (text) => readIfGiven(text, (part) => readName('text', part)));
  if (!contained.ok) return contained;
  const seconds = single(query, 'seconds', readSeconds);
  if (!seconds.ok) return seconds;
  return {
    ok: true,
    value: {
      ...(type.value !== undefined && { type: type.value }),
      ...(event.value !== undefined && { event: event.value }),
      ...(userId.value !== undefined && { userId: userId.value }),
      ...(contained.value !== undefined && { text: contained.value }),
      ...(seconds.value !== undefined && { seconds: seconds.value }),
    },
  };
}

function readType(text: string | undefined): Checked<Message['type'] | undefined> {
  if (text === undefined || MESSAGE_TYPES.includes(text))
    return { ok: true, value: text as Message['type'] | undefined };
  return refuseParameter('type', `is one of ${MESSAGE_TYPES.join(', ')}`);
}

/** How long the stream goes on; without it until the listener goes. */
function readSeconds(text: string | undefined): Checked<number | undefined> {
  if (text === undefined) return { ok: true, value: undefined };
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 3_600) return refuseParameter('seconds', 'is a whole number from 1 to 3600');
  return { ok: true, value: seconds };
}
