/** The messages of `dead_letter.waiting`: a dead letter began to wait. */
import type { WaitingLetter } from '../messages/dead-letter.ts';
import { formatMicros } from '../messages/timestamp.ts';
import type { Database, Queryable } from '../stores/database/database.ts';
import { TRANSACTION_MS } from '../stores/database/sql-time.ts';
import { addNotices } from './notices.ts';

/** An endpoint is told of more dead letters of the same reason after this time. */
const SAME_REASON_AFTER_MS = 3_600_000;

/** Whether any endpoint is to be told. */
export async function wantsDeadLetters(database: Queryable): Promise<boolean> {
  const sql = `select 1 from endpoints where 'dead_letter.waiting' = any (types) limit 1`;
  return (await database.query(sql)).length > 0;
}

/**
 * Tells each endpoint that wants it of the newest dead letter of each reason: the first time that any waits, and then of
 * newer ones an hour after the message before, once that was delivered. An endpoint that is disabled is not told.
 *
 * @param areAll Whether no others wait: a reason that is not among these is told of again when it comes back.
 */
export function noteDeadLetters(database: Database, letters: readonly WaitingLetter[], areAll: boolean): Promise<void> {
  return database.transaction(async (transaction) => {
    const reasons = reasonsOf(await endpointsOf(transaction), letters);
    if (areAll) await forgetSettled(transaction, reasons);
    const names = await begun(transaction, reasons);
    await addNotices(
      transaction,
      'dead_letter.waiting',
      reasons.flatMap((reason) =>
        names.has(reasonName(reason)) ? [{ endpointId: reason.endpointId, data: dataOf(reason) }] : [],
      ),
    );
  });
}

/** The dead letters of one reason, as an endpoint is told of them. */
interface Reason {
  readonly endpointId: string;
  readonly code: string;
  readonly newest: WaitingLetter;
  readonly waiting: number;
}

type Wanting = { readonly id: string; readonly project_id: string | null };

function endpointsOf(transaction: Queryable): Promise<readonly Wanting[]> {
  const sql = `select id, project_id from endpoints where 'dead_letter.waiting' = any (types) order by id`;
  return transaction.query<Wanting>(sql);
}

function reasonsOf(endpoints: readonly Wanting[], letters: readonly WaitingLetter[]): readonly Reason[] {
  const byProject = Map.groupBy(letters, ({ projectId }) => projectId);
  return endpoints.flatMap(({ id, project_id: project }) => {
    const own = project === null ? letters : (byProject.get(project) ?? []);
    return [...Map.groupBy(own, ({ code }) => code ?? '')].map(([code, some]) => {
      const newest = some.reduce((one, other) => (other.appendedAtMs > one.appendedAtMs ? other : one));
      return { endpointId: id, code, newest, waiting: some.length };
    });
  });
}

async function forgetSettled(transaction: Queryable, reasons: readonly Reason[]): Promise<void> {
  await transaction.query(
    `delete from endpoint_dead_letters t
     where not exists (select from unnest($1::text[], $2::text[]) as still (endpoint_id, code)
                       where still.endpoint_id = t.endpoint_id and still.code = t.code)`,
    [reasons.map(({ endpointId }) => endpointId), reasons.map(({ code }) => code)],
  );
}

/** Notes what is told of now. Another process that found the same waits for the row, and then tells nothing. */
async function begun(transaction: Queryable, reasons: readonly Reason[]): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ readonly endpoint_id: string; readonly code: string }>(
    `insert into endpoint_dead_letters as told (endpoint_id, code, told_at_ms, newest_ms)
     select found.endpoint_id, found.code, ${TRANSACTION_MS}, found.newest_ms
     from unnest($1::text[], $2::text[], $3::int8[]) as found (endpoint_id, code, newest_ms)
     where exists (select from endpoints e where e.id = found.endpoint_id and e.disabled is null)
     order by found.endpoint_id, found.code
     on conflict (endpoint_id, code) do update set told_at_ms = excluded.told_at_ms, newest_ms = excluded.newest_ms
     where told.newest_ms < excluded.newest_ms and told.told_at_ms <= excluded.told_at_ms - $4::int8
       and not exists (select from endpoint_deliveries d
                       where d.endpoint_id = told.endpoint_id and d.type = 'dead_letter.waiting' and d.state = 'waiting')
     returning endpoint_id, code`,
    [
      reasons.map(({ endpointId }) => endpointId),
      reasons.map(({ code }) => code),
      reasons.map(({ newest }) => BigInt(newest.appendedAtMs)),
      BigInt(SAME_REASON_AFTER_MS),
    ],
  );
  return new Set(rows.map(({ endpoint_id: endpointId, code }) => reasonName({ endpointId, code })));
}

function reasonName({ endpointId, code }: Pick<Reason, 'endpointId' | 'code'>): string {
  return `${endpointId}/${code}`;
}

function dataOf({ newest, waiting }: Reason): string {
  const { id, topic, projectId, code, error, reader, failedAt } = newest;
  const letter = { id, topic, project_id: projectId, code, error, reader, failed_at: formatMicros(failedAt) };
  return JSON.stringify({ ...letter, waiting });
}
