import type { Decoded } from '../../consumers/decode-batch.ts';
import { changeOf } from '../../consumers/projector/fold.ts';
import { nameOf } from '../../event-log/partition.ts';
import { hourOf } from '../../messages/day-and-hour.ts';
import { MAX_TRAITS, type Message } from '../../messages/message.ts';
import { parseJson } from '../../messages/parse-json.ts';
import { userName, userNamed } from '../../stores/erasures/erased-users.ts';
import { hasCode } from '../../runtime/errors.ts';
import type { Database } from '../../stores/database/database.ts';
import { areRepeats, inSlices } from '../../stores/profiles/claims.ts';
import type { ProfileChange } from '../../stores/profiles/profile.ts';
import { cellOf, type Checkpoints } from './checkpoints.ts';
import type { Span } from './compare.ts';
import { type DeadLettered, recordState } from './log-cells.ts';
import type { Findings } from './report.ts';
import { scanMessages, type ScanParts } from './scan-messages.ts';

export interface EffectParts extends ScanParts {
  readonly profiles: Pick<Database, 'query'>;
  readonly checkpoints: Checkpoints;
  readonly deadLettered: DeadLettered;
  readonly missing: Findings;
  /** How many traits a profile keeps. */
  readonly maxTraits?: number;
}

/**
 * Reads the records that these cells span again, and compares each message with the profile of its user: the profile
 * must have its values or newer ones. (Profiles keep no messages, so a missing one whose values were all replaced since
 * is not found.)
 */
export async function findMissingEffects(parts: EffectParts, span: Span): Promise<void> {
  const checked = parts.checkpoints.checked.projector.get(nameOf(span.range));
  for await (const { decoded } of scanMessages(parts, [span.range])) {
    const known = decoded.filter(({ topic, partition, record: { offset }, content }) => {
      const cell = cellOf({ topic, partition, projectId: content.projectId, hour: hourOf(content.receivedAt) });
      if (!span.cells.has(cell) || recordState(checked, offset) !== 'known') return false;
      return !parts.deadLettered.has('projector', span.range, offset);
    });
    for (const slice of inSlices(known)) await checkEffects(parts, slice);
  }
}

async function checkEffects(parts: EffectParts, messages: readonly Decoded<Message>[]): Promise<void> {
  const { profiles, missing, maxTraits = MAX_TRAITS } = parts;
  const claimed = messages.filter(({ claim }) => claim !== undefined);
  const repeats = await areRepeats(
    profiles,
    'projector',
    claimed.flatMap(({ claim }) => claim ?? []),
  );
  const left = new Set(claimed.filter((_, index) => repeats[index] === true));
  const users = await statesOf(
    profiles,
    messages.map(({ content }) => content),
  );
  for (const message of messages) {
    if (left.has(message)) continue;
    const { projectId, userKey } = message.content;
    const why = lackOf(users.get(userName(projectId, userKey)), message.content, maxTraits);
    if (why !== undefined) missing.addMessage(message, why);
  }
}

interface UserState {
  readonly project_id: string;
  readonly user_key: string;
  readonly first_seen: bigint;
  readonly last_seen: bigint;
  readonly versions: string;
}

async function statesOf(
  database: Pick<Database, 'query'>,
  messages: readonly Message[],
): Promise<ReadonlyMap<string, UserState>> {
  const names = new Set(messages.map(({ projectId, userKey }) => userName(projectId, userKey)));
  const users = [...names].map(userNamed);
  const rows = await database.query<UserState>(STATES, [
    users.map(({ projectId }) => projectId),
    users.map(({ userKey }) => userKey),
  ]);
  return new Map(rows.map((row) => [userName(row.project_id, row.user_key), row]));
}

const STATES = `
  select project_id, user_key, first_seen, last_seen, coalesce(versions, '{}')::text as versions
  from {users}
  join unnest($1::text[], $2::text[]) as named (project_id, user_key) using (project_id, user_key)
  left join {profiles} using (project_id, user_key)`;

/** The values of a message that the profile lacks; undefined if it has all. */
function lackOf(user: UserState | undefined, message: Message, maxTraits: number): string | undefined {
  if (user === undefined) return 'its user is not known';
  if (message.timestamp < user.first_seen || message.timestamp > user.last_seen) {
    return 'its user was not seen at its time';
  }
  if (message.type === 'track') return undefined;
  const versions = parseJson(user.versions) as Record<string, string>;
  const change = readableChangeOf(message);
  if (change === undefined) return 'its traits cannot be read, and it is not in the dead letters';
  for (const trait of change.traits.keys()) {
    const version = Object.hasOwn(versions, trait) ? versions[trait] : undefined;
    if (version === undefined && isTrimmed(versions, message.version, maxTraits)) continue;
    if (version === undefined || version < message.version) return `its trait ${JSON.stringify(trait)} is not there`;
  }
  return undefined;
}

/** Whether a full profile has no room for traits of this version: all traits that it keeps are at least as new. */
function isTrimmed(versions: Readonly<Record<string, string>>, version: string, maxTraits: number): boolean {
  const kept = Object.values(versions);
  return kept.length >= maxTraits && kept.every((one) => one >= version);
}

/** Undefined where its traits cannot be read: the projector cannot have stored it. */
export function readableChangeOf(message: Message): ProfileChange | undefined {
  try {
    return changeOf(message);
  } catch (error) {
    if (hasCode(error, 'MESSAGE_UNDECODABLE')) return undefined;
    throw error;
  }
}
