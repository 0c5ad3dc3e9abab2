/** What of the calls of an SDK was mended or left out, as the answer to their request names it. */
import type { Draft } from '../messages/draft.ts';
import type { Problem } from '../messages/message.ts';

/** The most that an answer names. */
const MAX_LISTED = 100;

export interface Adjusted {
  /** With pointers from the body's root. */
  readonly listed: readonly Problem[];
  /** The number of messages of which something was mended or left out. */
  readonly messages: number;
}

/**
 * @param indexes Where each call stands in its batch; undefined for one that is the body itself.
 * @param besides What is to be said of the batch itself.
 */
export function adjustedIn(
  drafts: readonly Draft[],
  indexes?: readonly number[],
  besides: readonly Problem[] = [],
): Adjusted {
  const listed = [...besides];
  let messages = 0;
  for (const [at, { adjusted }] of drafts.entries()) {
    if (adjusted === null) continue;
    messages++;
    const pointer = indexes === undefined ? '' : `/batch/${indexes[at]}`;
    for (const { path, message } of adjusted.slice(0, MAX_LISTED - listed.length))
      listed.push({ path: pointer + path, message });
  }
  return { listed, messages };
}
