/** The bodies of `/v1/identify`, `/v1/track` and `/v1/batch`, and of their answers. Pure. */
import type { Draft } from '../messages/draft.ts';
import { parseBody } from '../messages/json.ts';
import type { Source } from '../messages/message.ts';
import { type Refused, validateBatch, validateIdentify, validateTrack } from '../messages/validate.ts';
import { type Arrival, arrivalOf } from '../messages/arrival.ts';

/** Where a body came to. */
export type PublicSource = Extract<Source, 'identify' | 'track' | 'batch'>;

/** What a body's meaning depends on. */
export interface PublicProject {
  readonly id: string;
  /** For a timestamp without an offset. */
  readonly timezone: string;
}

/** Its messages, in the order given, of a batch all of them. */
export type ReadBody = { readonly ok: true; readonly arrivals: readonly Arrival[] } | Refused;

export function readPublicBody(text: string, source: PublicSource, { id, timezone }: PublicProject): ReadBody {
  const parsed = parseBody(text);
  if (!parsed.ok) return parsed;
  if (source === 'batch') {
    const batch = validateBatch(parsed.value, timezone);
    return batch.ok ? { ok: true, arrivals: arrivalsOf(id, batch.drafts, source) } : batch;
  }
  const one = source === 'track' ? validateTrack(parsed.value, timezone) : validateIdentify(parsed.value, timezone);
  return one.ok ? { ok: true, arrivals: [arrivalOf(id, one.draft, source)] } : one;
}

export function arrivalsOf(projectId: string, drafts: readonly Draft[], source: Source): readonly Arrival[] {
  return drafts.map((draft) => arrivalOf(projectId, draft, source));
}

/** The answer's body once all of them are safe. */
export function publicAnswer(source: PublicSource, messageIds: readonly string[], receipt: string | null): string {
  if (source === 'batch') return batchAnswer(messageIds, receipt);
  const quoted = receipt === null ? 'null' : `"${receipt}"`;
  return `{"success":true,"message_id":${JSON.stringify(messageIds[0])},"receipt":${quoted}}`;
}

/** @param messageIds Null for an item that was left out. */
export function batchAnswer(messageIds: readonly (string | null)[], receipt: string | null, more: object = {}): string {
  return JSON.stringify({ success: true, message_ids: messageIds, receipt, ...more });
}
