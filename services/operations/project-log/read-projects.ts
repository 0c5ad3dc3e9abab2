import { wholeRanges } from '../../event-log/deleted-records.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Codec } from '../../messages/codec.ts';
import { MESSAGE_TOPICS, PROJECT_TOPIC, type ProjectRecord } from '../../messages/message.ts';
import { hasCode } from '../../runtime/errors.ts';
import { type LostProject, NO_LIMITS } from '../../stores/projects/project-store.ts';
import { scanMessages } from '../verify/scan-messages.ts';

export interface LogAndCodec {
  readonly log: Pick<EventLog, 'beginnings' | 'ends' | 'scan'>;
  readonly codec: Pick<Codec, 'prepare' | 'decode' | 'decodeProject'>;
}

/**
 * The newest record of each project, by id: its deletion where there is one. Records that are not of this format are
 * left out.
 *
 * @throws TidemarkError as `EventLog.scan`; `STORE_UNAVAILABLE` where the registry is needed and cannot be reached.
 */
export async function readProjects({ log, codec }: LogAndCodec): Promise<ReadonlyMap<string, ProjectRecord>> {
  const newest = new Map<string, ProjectRecord>();
  for await (const { records } of log.scan(await wholeRanges(log, [PROJECT_TOPIC]))) {
    await codec.prepare(records.map(({ value }) => value));
    for (const { value } of records) {
      const record = recordIn(codec, value);
      if (record !== undefined && isNewer(record, newest.get(record.projectId))) newest.set(record.projectId, record);
    }
  }
  return newest;
}

function recordIn(codec: LogAndCodec['codec'], value: Uint8Array): ProjectRecord | undefined {
  try {
    return codec.decodeProject(value);
  } catch (error) {
    if (!hasCode(error, 'MESSAGE_UNDECODABLE')) throw error;
    return undefined;
  }
}

function isNewer(record: ProjectRecord, other: ProjectRecord | undefined): boolean {
  if (other === undefined || record.deletedAt !== null) return true;
  return other.deletedAt === null && record.revision >= other.revision;
}

/** The projects that have messages on a log of a version that put no projects there. Reads the whole log. */
export async function projectsWithMessages(parts: LogAndCodec, timezone: string): Promise<readonly LostProject[]> {
  const ids = new Set<string>();
  for await (const { decoded: messages } of scanMessages(parts, await wholeRanges(parts.log, MESSAGE_TOPICS))) {
    for (const { content } of messages) ids.add(content.projectId);
  }
  return [...ids].map((id) => ({ ...NO_LIMITS, rateLimit: null, id, name: id, timezone, createdAtMs: Date.now() }));
}

export function lostProjectOf(record: ProjectRecord): LostProject {
  const { projectId: id, name, timezone, rateLimit, createdAt } = record;
  return {
    id,
    name,
    timezone: timezone ?? 'UTC',
    rateLimit,
    rateLimitBytes: numberOf(record.rateLimitBytes),
    queryMaxMs: numberOf(record.queryMaxMs),
    queryMaxMemoryBytes: numberOf(record.queryMaxMemoryBytes),
    queryMaxRows: numberOf(record.queryMaxRows),
    createdAtMs: Number((createdAt ?? 0n) / 1_000n),
  };
}

function numberOf(limit: bigint | null): number | null {
  return limit === null ? null : Number(limit);
}
