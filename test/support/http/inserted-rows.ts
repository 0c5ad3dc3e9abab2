/** Rows that a test needs as nothing but time, or another part of the service, would make them. */
import { splitObject } from '../../../services/messages/json.ts';
import { versionOf } from '../../../services/messages/version.ts';
import type { SavedAudience } from '../../../services/questions/saved/audience-store.ts';
import type { Database } from '../../../services/stores/database/database.ts';
import type { Profile } from '../../../services/stores/profiles/profile.ts';
import { SqlProfileStore } from '../../../services/stores/profiles/sql-profile-store.ts';

/** The epoch that follows audiences, where one is placed as followed. */
const EPOCH = 1;

let versions = 0;

/** Merges this into the user's profile, newer than what was merged before. */
export async function insertProfile(database: Database, profile: Profile): Promise<void> {
  const { anonymous, anonymousIds, traits, ...user } = profile;
  const version = String(++versions).padStart(32, '0');
  const [own = null] = user.userId === null ? anonymousIds : [];
  const beside = user.userId === null ? [] : anonymousIds;
  const change = {
    ...user,
    anonymousId: own,
    sightings: new Map(beside.map((id, n) => [id, versionOf(user.lastSeen - BigInt(n), user.lastSeen, 0)])),
    anonymous: anonymous === null ? null : { value: anonymous, version },
    traits: new Map([...splitObject(traits)].map(([name, value]) => [name, { value, version }])),
  };
  await new SqlProfileStore(database).write([], [], () => [change]);
}

/** A saved audience, in place of the one that has its id. */
export async function insertAudience(database: Database, audience: SavedAudience): Promise<void> {
  const { id, name, note, tags, definition, version, revision, evaluation, failure } = audience;
  const row = {
    id,
    name,
    note,
    tags,
    definition,
    version,
    revision,
    failure,
    project_id: audience.projectId,
    refresh_ms: audience.refreshMs,
    created_at_ms: audience.createdAtMs,
    updated_at_ms: audience.updatedAtMs,
    is_live: audience.isLive,
    is_held: false,
    live_through: audience.liveThrough?.toString(),
    live_epoch: audience.isFollowed ? EPOCH : null,
    evaluated_at: evaluation?.at.toString(),
    evaluated_version: evaluation?.version,
    evaluated_cause: evaluation?.cause,
    members: evaluation?.members,
    entered: evaluation?.entered,
    left_members: evaluation?.left,
  };
  await database.query('delete from audiences where id = $1', [id]);
  await database.query('insert into audiences select * from jsonb_populate_record(null::audiences, $1::jsonb)', [
    JSON.stringify(row),
  ]);
}

/** An evaluation of an audience that nobody left. */
export async function insertEvaluation(
  database: Database,
  audienceId: string,
  at: bigint,
  members: number,
  entered = 0,
): Promise<void> {
  await database.query(
    `insert into audience_evaluations (audience_id, evaluated_at, version, cause, entered, left_members, members)
     values ($1, $2::int8, 1, 'refresh', $3::int8, 0, $4::int8)`,
    [audienceId, at, BigInt(entered), BigInt(members)],
  );
}

/** An endpoint, always of the same id, as if two changes of an audience had been delivered to it. */
export async function insertEndpoint(
  database: Database,
  projectId: string,
  audienceId: string,
): Promise<{ readonly endpoint: string; readonly delivery: string }> {
  const [endpoint, delivery] = ['end_placed00000000000000', 'msg_placed000000000000000000'];
  await database.query('delete from endpoints where id = $1', [endpoint]);
  await database.query(
    `insert into endpoints (id, project_id, url, types, initial, batch_size, secret, created_at_ms, updated_at_ms)
     values ($1, $2, 'https://example.com/', array['audience.changed'], 'none', 100, 'whsec_c2VjcmV0', 0, 0)`,
    [endpoint, projectId],
  );
  await database.query(
    `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, audience_id, is_initial, from_at, to_at,
       changes, attempts, attempted_at_ms, status, took_ms, answer)
     values ($1, $2, 'audience.changed', 'delivered', 1, $3, false, 0, 1, 2, 1, 2, 204, 7, '')`,
    [delivery, endpoint, audienceId],
  );
  return { endpoint, delivery };
}
