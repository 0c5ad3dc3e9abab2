/** Made-up exports in the form that the documents of each product show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatMicros } from '../../../../services/messages/timestamp.ts';
import { type Line, readAll } from '../../../support/service/import-records.ts';

export function exported(name: string): string {
  return readFileSync(join(import.meta.dirname, 'exports', name), 'utf8');
}

/** What is of interest of the drafts, the rest left to the validation that every call has. */
export function summaryOf({ draft, problems }: Line): unknown {
  if (draft === undefined) return problems;
  const { type, userId, anonymousId, messageId, timestamp } = draft;
  const at = timestamp === null ? null : formatMicros(timestamp);
  const what =
    draft.type === 'track'
      ? [draft.event, JSON.parse(draft.properties) as unknown]
      : [JSON.parse(draft.traits) as unknown];
  return [type, userId, anonymousId, messageId, at, ...what];
}

export async function readExport(file: string, preset: string, projectTimezone = 'Europe/Berlin'): Promise<unknown[]> {
  return (await readAll(exported(file), { preset, projectTimezone })).map(summaryOf);
}
