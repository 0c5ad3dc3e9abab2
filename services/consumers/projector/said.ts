/** What the messages of a portion say, given which of them count. */
import { type Hour, hourOf } from '../../messages/hour.ts';
import type { Message } from '../../messages/message.ts';
import type { DroppedTraits } from '../../stores/profiles/newest-traits.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import type { Decoded } from '../decode-batch.ts';
import { changeOf, fold } from './fold.ts';
import type { Tallied } from './tally.ts';

/** What a message says of its user, and when it arrived. */
export interface Said {
  readonly change: ProfileChange;
  readonly hour: Hour;
}

/** One change a user, and of whom more was said than is kept. */
export interface Folded {
  readonly changes: readonly ProfileChange[];
  readonly dropped: readonly DroppedTraits[];
}

/** @throws TidemarkError `MESSAGE_UNDECODABLE` where its traits are not the JSON of an object. */
export function saidBy(message: Message): Said {
  return { change: changeOf(message), hour: hourOf(message.receivedAt) };
}

/** @param counts Of each message with a claim, in order, whether it counts; all others do. */
export function foldOf(decoded: readonly Decoded<Said>[], counts: readonly boolean[]): Folded {
  const dropped: DroppedTraits[] = [];
  const changes = fold(changesThatCount(decoded, counts), { onDropped: (one) => void dropped.push(one) });
  return { changes, dropped };
}

function* changesThatCount(decoded: readonly Decoded<Said>[], counts: readonly boolean[]): Generator<ProfileChange> {
  let next = 0;
  for (const { claim, content } of decoded) if (!claim || counts[next++] === true) yield content.change;
}

/** @param counts As for `foldOf`. */
export function* tallied(decoded: readonly Decoded<Said>[], counts: readonly boolean[]): Generator<Tallied> {
  let next = 0;
  for (const { topic, partition, claim, content } of decoded) {
    const { change, hour } = content;
    yield { topic, partition, projectId: change.projectId, hour, isRepeat: claim ? counts[next++] !== true : false };
  }
}
