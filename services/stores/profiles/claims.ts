/** Statements on `applied`: which copy of a message counts. */
import { hash } from 'node:crypto';
import type { Queryable } from '../database/database.ts';
import { TRANSACTION_MS } from '../database/sql-time.ts';
import { userName } from '../erasures/erased-users.ts';
import { newestCuts } from '../erasures/read-erased-users.ts';
import type { Claim, ReaderName } from './profile-store.ts';

/**
 * Enters claims that nobody made before; returns of each, in order, whether it counts: whether its position is the one stored
 * for its identity. The first of several claims of one identity is entered.
 */
export async function enterClaims(
  transaction: Queryable,
  reader: ReaderName,
  claims: readonly Claim[],
): Promise<readonly boolean[]> {
  if (claims.length === 0) return [];
  const identities = await identitiesOf(transaction, claims);
  const first = new Map<string, Claim>();
  for (const [index, claim] of claims.entries()) {
    const identity = identities[index] as string;
    if (!first.has(identity)) first.set(identity, claim);
  }
  const positions = new Map<string, string>();
  for (const slice of inSlices([...first].sort(byIdentity))) {
    const entered = new Set(await insertNew(transaction, reader, slice));
    for (const [identity, claim] of slice) if (entered.has(identity)) positions.set(identity, positionKey(claim));
    const known = slice.filter(([identity]) => !entered.has(identity));
    for (const { identity, place } of await selectPositions(transaction, reader, known)) positions.set(identity, place);
  }
  return claims.map((claim, index) => positions.get(identities[index] as string) === positionKey(claim));
}

/** Takes those claims back that count: of messages that became dead letters, so that a copy appended later counts. */
export async function releaseClaims(database: Queryable, reader: ReaderName, claims: readonly Claim[]): Promise<void> {
  for (const slice of inSlices(claims)) {
    await database.query(
      `delete from {applied} as applied
       using unnest($2::text[], $3::int4[], $4::int8[]) as claim (identity, partition, log_offset)
       where applied.reader = $1 and applied.identity = claim.identity::uuid
         and (applied.partition, applied.log_offset) = (claim.partition, claim.log_offset)`,
      [
        reader,
        await identitiesOf(database, slice),
        slice.map(({ partition }) => partition),
        slice.map(({ offset }) => offset),
      ],
    );
  }
}

/** Whether another copy was entered in place of each claim, in order. Enters nothing. */
export async function areRepeats(
  database: Queryable,
  reader: ReaderName,
  claims: readonly Claim[],
): Promise<readonly boolean[]> {
  const identities = await identitiesOf(database, claims);
  const places = new Map<string, string>();
  for (const slice of inSlices(claims.map((claim, index) => [identities[index] as string, claim] as const))) {
    for (const { identity, place } of await selectPositions(database, reader, slice)) places.set(identity, place);
  }
  return claims.map((claim, index) => {
    const place = places.get(identities[index] as string);
    return place !== undefined && place !== positionKey(claim);
  });
}

/** Removes at most `limit` entries of any reader made before `beforeMs` and longer ago than `windowMs`. Returns how many. */
export async function forgetClaims(
  database: Queryable,
  beforeMs: number,
  windowMs: number,
  limit: number,
): Promise<number> {
  const rows = await database.query<{ readonly deleted: bigint }>(
    `with deleted as (
       delete from {applied}
       where ctid = any (array(select ctid from {applied} where applied_at_ms <= least(${TRANSACTION_MS} - $1::int8, $3::int8) limit $2::int4))
       returning 1
     )
     select count(*) as deleted from deleted`,
    [windowMs, limit, beforeMs],
  );
  return Number(rows[0]?.deleted ?? 0n);
}

type ClaimEntry = readonly [identity: string, claim: Claim];

/** Returns the identities that were new. */
async function insertNew(
  transaction: Queryable,
  reader: ReaderName,
  entries: readonly ClaimEntry[],
): Promise<readonly string[]> {
  const rows = await transaction.query<{ readonly identity: string }>(
    `insert into {applied} (reader, identity, partition, log_offset, applied_at_ms)
     select $1, identity::uuid, partition, log_offset, greatest(${TRANSACTION_MS}, appended_at_ms)
     from unnest($2::text[], $3::int4[], $4::int8[], $5::int8[]) as claim (identity, partition, log_offset, appended_at_ms)
     on conflict do nothing
     returning replace(identity::text, '-', '') as identity`,
    [
      reader,
      entries.map(([identity]) => identity),
      entries.map(([, { partition }]) => partition),
      entries.map(([, { offset }]) => offset),
      entries.map(([, { appendedAtMs }]) => appendedAtMs),
    ],
  );
  return rows.map(({ identity }) => identity);
}

async function selectPositions(transaction: Queryable, reader: ReaderName, entries: readonly ClaimEntry[]) {
  if (entries.length === 0) return [];
  return transaction.query<{ readonly identity: string; readonly place: string }>(
    `select claim.identity, partition || '/' || log_offset as place
     from unnest($2::text[]) as claim (identity)
     join {applied} as applied on applied.reader = $1 and applied.identity = claim.identity::uuid`,
    [reader, entries.map(([identity]) => identity)],
  );
}

function positionKey({ partition, offset }: Claim): string {
  return `${partition}/${offset}`;
}

/**
 * In order. A message is judged by copies received after the newest cut of its person alone: what a message of before did is
 * gone, and every message of before is left out, so a replay finds the same.
 */
async function identitiesOf(database: Queryable, claims: readonly Claim[]): Promise<readonly string[]> {
  const cuts = await newestCuts(database, claims);
  return claims.map(({ projectId, topic, userKey, messageId }) => {
    const cut = cuts.get(userName(projectId, userKey));
    const since = cut === undefined ? [] : [String(cut)];
    return hash('sha256', JSON.stringify([projectId, topic, userKey, messageId, ...since]), 'hex').slice(0, 32);
  });
}

/** Two transactions that enter some of the same claims do it in one order, or they could deadlock. */
function byIdentity([a]: ClaimEntry, [b]: ClaimEntry): number {
  return a < b ? -1 : 1;
}

// An upsert of 1,000 rows holds the thread of an embedded database for 10 to 30 ms (measured).
const MAX_ROWS = 1_000;

/** A list in pieces small enough for one statement. */
export function* inSlices<T>(list: readonly T[], maxRows = MAX_ROWS): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += maxRows) yield list.slice(start, start + maxRows);
}
