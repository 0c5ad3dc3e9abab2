/** Which messages a listener of the live stream wants. */
import { readJson, toJsonText } from '../../messages/json.ts';
import { endOfString } from '../../messages/json-text.ts';
import { type JsonText, type Message, topicOf } from '../../messages/message.ts';
import { anonymousKeyOf, userKeyOf } from '../../messages/user-key.ts';

/** Which messages a listener wants; what is left out takes every message. */
export interface LiveFilter {
  readonly type?: Message['type'];
  readonly event?: string;
  readonly userId?: string;
  /** What a value in the traits or properties contains, at any depth, or the number that it is. */
  readonly text?: string;
}

// Escapes in JSON that this service did not write, which may have any character as an escape.
const FOREIGN_ESCAPES: readonly string[] = [String.raw`\u`, String.raw`\/`];

/** What a listener of a project wants. */
export class RecordFilter {
  readonly #projectId: Buffer;
  readonly #filter: LiveFilter;
  /** Where alone such records are; undefined for anywhere. */
  readonly #topic: string | undefined;
  /** The internal ids of the users that the filter may mean. */
  readonly #userKeys: readonly string[];
  /** The text as a number, as this service writes it; undefined where it is not a number. */
  readonly #number: string | undefined;
  /** The bytes of a wanted record contain one of each of these lists. */
  readonly #contained: readonly (readonly Buffer[])[];

  constructor(projectId: string, filter: LiveFilter) {
    const { type, event, userId, text } = filter;
    this.#projectId = Buffer.from(projectId);
    this.#filter = filter;
    const wanted = event === undefined ? type : 'track';
    this.#topic = wanted && topicOf({ type: wanted });
    this.#userKeys = userId === undefined ? [] : [userKeyOf(projectId, userId), anonymousKeyOf(projectId, userId)];
    this.#number = text === undefined ? undefined : numberIn(text);
    const lists = [
      event === undefined ? [] : [event],
      userId === undefined ? [] : [userId, ...this.#userKeys],
      text === undefined ? [] : [JSON.stringify(text).slice(1, -1), ...FOREIGN_ESCAPES, this.#number ?? []].flat(),
    ];
    this.#contained = lists.filter(({ length }) => length > 0).map((list) => list.map((one) => Buffer.from(one)));
  }

  /**
   * Judges a record by its bytes: decoding takes ten times as long as that, on the thread that answers requests, and a
   * listener reads every record of the log. What it says is exact for records that can be decoded; `undecided` is to be.
   */
  judge(topic: string, bytes: Uint8Array): 'matches' | 'other' | 'undecided' {
    if (this.#topic !== undefined && topic !== this.#topic) return 'other';
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isOurs = isOfProject(value, this.#projectId);
    // A record of a foreign writer may have its fields in another order.
    if (!isOurs && !value.includes(this.#projectId)) return 'other';
    for (const list of this.#contained) if (!list.some((text) => value.includes(text))) return 'other';
    return isOurs && this.#contained.length === 0 ? 'matches' : 'undecided';
  }

  /** @param message A message of the project. */
  matches(message: Message): boolean {
    const { type, event, userId, text } = this.#filter;
    if (type !== undefined && message.type !== type) return false;
    if (event !== undefined && (message.type !== 'track' || message.event !== event)) return false;
    // An event that came with a session has the internal id alone.
    const ids = [message.userId, message.anonymousId];
    if (userId !== undefined && !ids.includes(userId) && !this.#userKeys.includes(message.userKey)) return false;
    return text === undefined || this.#hasValue(message.type === 'track' ? message.properties : message.traits, text);
  }

  /** Numbers are compared by their digits: none is rounded. */
  #hasValue(json: JsonText, text: string): boolean {
    for (const value of valuesIn(json)) if (value.includes(text) || value === this.#number) return true;
    return false;
  }
}

function numberIn(text: string): string | undefined {
  const read = readJson(text);
  return read.ok && typeof read.value.plain === 'number' ? toJsonText(read.value.exact) : undefined;
}

const STRING_OR_LITERAL = /["\w+.-]/g;
const NAME_END = /\s*:/y;
const LITERAL = /[\w+.-]+/y;

/** The strings in the text of JSON, and its numbers and literals as they are written; no names of members. */
function* valuesIn(json: JsonText): Generator<string> {
  for (let at = 0; ;) {
    STRING_OR_LITERAL.lastIndex = at;
    const found = STRING_OR_LITERAL.exec(json);
    if (found === null) return;
    const isString = found[0] === '"';
    LITERAL.lastIndex = found.index;
    const text = isString
      ? json.slice(found.index, endOfString(json, found.index) + 1)
      : (LITERAL.exec(json)?.[0] ?? '');
    NAME_END.lastIndex = at = found.index + text.length;
    if (!isString) yield text;
    else if (!NAME_END.test(json)) yield text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
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
