/** The messages of `user.forgotten`: people whom a receiver is to forget too. */
import { formatMs } from '../messages/timestamp.ts';
import type { Queryable } from '../stores/database/database.ts';
import { NOW_MS } from '../stores/database/sql-time.ts';
import type { Endpoint, WaitingForgotten } from './endpoint-store.ts';
import { makeMessageId } from './sql-endpoint-claims.ts';

/** A person as a message names them. */
export interface ForgottenPerson {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
}

/** Bounds a message: Standard Webhooks recommends messages that are small. */
const PEOPLE_OF_A_MESSAGE = 100;

/**
 * Makes messages for every endpoint of the project that wants them, to be sent after those that wait. The names are in the
 * row until it is delivered: nothing else has them by then.
 */
export async function noteForgotten(
  database: Queryable,
  projectId: string,
  people: readonly ForgottenPerson[],
): Promise<void> {
  const wanting = await database.query<{ readonly id: string }>(
    `select id from endpoints where project_id = $1 and 'user.forgotten' = any (types)`,
    [projectId],
  );
  for (const { id } of wanting) {
    for (let from = 0; from < people.length; from += PEOPLE_OF_A_MESSAGE) {
      const some = JSON.stringify(people.slice(from, from + PEOPLE_OF_A_MESSAGE));
      await database.query(
        `insert into endpoint_deliveries (id, endpoint_id, type, state, created_at_ms, forgotten)
         values ($1, $2, 'user.forgotten', 'waiting', ${NOW_MS}, $3)`,
        [makeMessageId(), id, some],
      );
    }
  }
}

/** The body of a message. */
export function forgottenBody({ projectId }: Endpoint, { createdAtMs, forgotten }: WaitingForgotten): string {
  const data = `{"project_id":${JSON.stringify(projectId)},"users":${forgotten}}`;
  return `{"type":"user.forgotten","timestamp":"${formatMs(createdAtMs)}","data":${data}}`;
}
