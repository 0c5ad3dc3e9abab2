import { createHash } from 'node:crypto';
import { encoded, type MessageRecord } from '../../messages/arrival.ts';
import { type Message, MESSAGE_TOPICS, type MessageTopic, type Problem } from '../../messages/message.ts';
import type { CommandCall } from '../../runtime/command.ts';
import { TidemarkError } from '../../runtime/errors.ts';
import { changedPaths, editableRecord, readEdit } from './editable-record.ts';
import { findDeadLetter } from './find-dead-letter.ts';
import { messageIn } from './letters-on-log.ts';
import { formatCoordinates, type RecordCoordinates } from './record-coordinates.ts';
import type { DeadLetterParts } from './settle.ts';
import { type Correction, SettledDeadLetters } from './settled-dead-letters.ts';
import { type Trial, TrialStores, type TrialParts } from './trial-stores.ts';

/** What became of an edit: as JSON. */
export interface EditedDeadLetter {
  readonly dry_run: boolean;
  readonly id: string;
  readonly message_id: string;
  /** The coordinates of the record that was appended; null of a dry run. */
  readonly copy: string | null;
  /** Whether each store would take it now; null unless it is a dry run. */
  readonly stores: Trial | null;
}

export type EditResult =
  | {
      readonly edited: EditedDeadLetter;
      readonly project: string;
      /** What the correction changes, as JSON pointers into the record. */
      readonly changed: readonly string[];
    }
  /** The correction is not valid. Paths from its root. */
  | { readonly problems: readonly Problem[] };

/** What a dead letter is to become. */
export interface Edit {
  readonly id: string;
  /** JSON text, see `readEdit`. */
  readonly record: string;
  readonly isDryRun?: boolean;
}

/** A valid correction of the message of a dead letter. */
interface ValidEdit {
  readonly place: RecordCoordinates;
  readonly topic: MessageTopic;
  readonly before: Message;
  readonly after: Message;
  readonly record: MessageRecord;
}

/**
 * Appends the corrected message to its topic, and records that the dead letter is settled.
 *
 * What is appended is written down before. So an edit that a crash interrupted is finished by sending it again: the same
 * record is appended once more at most, which both stores count once. Another correction fails then.
 */
export class Editor {
  readonly #parts: DeadLetterParts;
  readonly #trialParts: TrialParts;
  readonly #settled: SettledDeadLetters;

  constructor(parts: DeadLetterParts & TrialParts) {
    this.#parts = parts;
    this.#trialParts = parts;
    this.#settled = new SettledDeadLetters(parts.database);
  }

  /**
   * @throws TidemarkError `DEAD_LETTER_UNKNOWN`; `MESSAGE_UNDECODABLE` where there is nothing that could be corrected;
   *   `DEAD_LETTER_SETTLED`; what the log and the stores throw.
   */
  async edit({ id, record, isDryRun = false }: Edit, call: Pick<CommandCall, 'signal'>): Promise<EditResult> {
    const { letter } = await findDeadLetter(this.#parts, id, call);
    const topic = topicOf(letter.topic);
    await this.#parts.codec.prepare([letter.value]);
    const before = messageIn(this.#parts.codec, letter);
    if (before === undefined) throw nothingToCorrect(id);
    const read = readEdit(record, topic, before);
    if (!read.ok) return { problems: read.problems };
    const { message: after } = read;
    const edit = { place: letter, topic, before, after, record: encoded(after, this.#parts.codec, topic) };
    const settled = await this.#apply(edit, isDryRun);
    const changed = changedPaths(editableRecord(topic, before), editableRecord(topic, after));
    return { edited: settled, project: before.projectId, changed };
  }

  async #apply(edit: ValidEdit, isDryRun: boolean): Promise<EditedDeadLetter> {
    const { place, after, record } = edit;
    const correction: Correction = { ...record, digest: createHash('sha256').update(record.value).digest() };
    const copied = await this.#copyOf(place, correction);
    const answer = { dry_run: isDryRun, id: formatCoordinates(place), message_id: after.messageId };
    if (isDryRun) {
      return { ...answer, copy: null, stores: await new TrialStores(this.#trialParts).tryOut(after, edit.topic) };
    }
    const copy = copied ?? (await this.#append(place, correction));
    return { ...answer, copy: formatCoordinates(copy), stores: null };
  }

  /** Where this very correction was appended before. */
  async #copyOf(message: RecordCoordinates, { digest }: Correction): Promise<RecordCoordinates | undefined> {
    const settled = await this.#settled.find(message);
    if (settled === undefined || settled.state === 'editing') return undefined;
    const { state, copyPartition: partition, copyOffset: offset } = settled;
    const isSame = state === 'edited' && isEqual(digest, settled.digest);
    if (isSame && partition !== null && offset !== null) return { topic: message.topic, partition, offset };
    throw settledBefore(message, state);
  }

  async #append(place: RecordCoordinates, correction: Correction): Promise<RecordCoordinates> {
    await this.#settled.beginEdit(place, correction);
    // That of an earlier call, if one was interrupted.
    const begun = await this.#settled.find(place);
    const { key = null, value = null, digest = null } = begun ?? {};
    if (key === null || value === null) throw settledBefore(place, begun?.state ?? 'forgotten');
    const [copy] = await this.#parts.log.append([{ topic: place.topic, key, value }]);
    if (copy === undefined) throw new Error('nothing was appended');
    await this.#settled.noteEdited(place, copy);
    if (!isEqual(correction.digest, digest)) {
      throw new TidemarkError(
        'DEAD_LETTER_SETTLED',
        `Another edit of ${formatCoordinates(place)} had been interrupted. It is finished now, and this one was not carried out.`,
      );
    }
    return { topic: place.topic, partition: copy.partition, offset: copy.offset };
  }
}

function settledBefore(message: RecordCoordinates, how: string): TidemarkError {
  const text = `${formatCoordinates(message)} was ${how} before; if its copy became a dead letter again, edit that one.`;
  return new TidemarkError('DEAD_LETTER_SETTLED', text);
}

function isEqual(one: Uint8Array, other: Uint8Array | null): boolean {
  return other !== null && Buffer.from(one).equals(other);
}

function topicOf(topic: string): MessageTopic {
  const known = MESSAGE_TOPICS.find((one) => one === topic);
  if (known === undefined) throw nothingToCorrect(topic);
  return known;
}

function nothingToCorrect(id: string): TidemarkError {
  return new TidemarkError(
    'MESSAGE_UNDECODABLE',
    `The message of ${id} cannot be decoded, so that there is nothing to correct. Restore its schema, or drop it.`,
  );
}
