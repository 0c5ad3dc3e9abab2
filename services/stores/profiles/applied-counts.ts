/** Statements on `applied_counts`: what was applied, by project and hour. */
import type { Queryable } from '../database/database.ts';
import type { AppliedCount } from './profile-store.ts';

/** Each of (topic, partition, project, hour) once. A handful of rows, of partitions that the transaction holds. */
export async function addCounts(transaction: Queryable, counts: readonly AppliedCount[]): Promise<void> {
  if (counts.length === 0) return;
  await transaction.query(
    `insert into {applied_counts} as stored (topic, partition, project_id, hour, messages, repeats)
     select * from unnest($1::text[], $2::int4[], $3::text[], $4::int4[], $5::int8[], $6::int8[])
     on conflict (topic, partition, project_id, hour) do update
     set messages = stored.messages + excluded.messages, repeats = stored.repeats + excluded.repeats`,
    [
      counts.map(({ topic }) => topic),
      counts.map(({ partition }) => partition),
      counts.map(({ projectId }) => projectId),
      counts.map(({ hour }) => hour),
      counts.map(({ messages }) => messages),
      counts.map(({ repeats }) => repeats),
    ],
  );
}
