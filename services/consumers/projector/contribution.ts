/** What the messages of a batch contribute to profiles, given which of them count. */
import { type Hour, hourOf } from '../../messages/day-and-hour.ts';
import type { Message, Micros } from '../../messages/message.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { Decoded } from '../decode-batch.ts';
import type { WantedMessages } from '../wanted-messages.ts';
import { changeOf, fold } from './fold.ts';
import type { AppliedMessage } from './applied-counts.ts';

/** What a message contributes to its user, and when it arrived. */
export interface Contribution {
  readonly change: ProfileChange;
  readonly receivedAt: Micros;
  readonly hour: Hour;
}

/** One change for each user, and the users who had more traits than a profile keeps. */
export interface Folded {
  readonly changes: readonly ProfileChange[];
  readonly dropped: readonly DroppedTraits[];
}

/** @throws TidemarkError `MESSAGE_UNDECODABLE` if its traits are not a JSON object. */
export function contributionOf(message: Message): Contribution {
  const { receivedAt } = message;
  return { change: changeOf(message), receivedAt, hour: hourOf(receivedAt) };
}

/** @param isFirstCopy One for each message with a claim, in order; a message without a claim always counts. */
export function foldOf(decoded: readonly Decoded<Contribution>[], isFirstCopy: readonly boolean[]): Folded {
  const dropped: DroppedTraits[] = [];
  const changes = fold(changesOfFirstCopies(decoded, isFirstCopy), { onDropped: (one) => void dropped.push(one) });
  return { changes, dropped };
}

/** @param isFirstCopy As for `foldOf`. */
export function* changesOfFirstCopies(
  decoded: readonly Decoded<Contribution>[],
  isFirstCopy: readonly boolean[],
): Generator<ProfileChange> {
  let next = 0;
  for (const { claim, content } of decoded) if (!claim || isFirstCopy[next++] === true) yield content.change;
}

/** @param isFirstCopy As for `foldOf`. */
export function* appliedMessages(
  decoded: readonly Decoded<Contribution>[],
  isFirstCopy: readonly boolean[],
): Generator<AppliedMessage> {
  let next = 0;
  for (const { topic, partition, claim, content } of decoded) {
    const { change, hour } = content;
    yield {
      topic,
      partition,
      projectId: change.projectId,
      hour,
      isRepeat: claim ? isFirstCopy[next++] !== true : false,
    };
  }
}

/** Those that are wanted. @param wanted Undefined: all of them are. */
export function wantedOf(
  decoded: readonly Decoded<Contribution>[],
  wanted: WantedMessages | undefined,
): readonly Decoded<Contribution>[] {
  if (wanted === undefined) return decoded;
  return decoded.filter(({ content: { change, receivedAt } }) =>
    wanted.has({ projectId: change.projectId, userKey: change.userKey, receivedAt }),
  );
}
