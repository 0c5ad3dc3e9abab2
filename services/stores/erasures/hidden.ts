/**
 * SQL: whether a user is being forgotten, or stays forgotten. Readers of the log that do not know of it yet may still write
 * what nobody is to read.
 *
 * @param projectId An expression of the project's id.
 * @param userKey An expression of the internal id.
 */
export function isHiddenSql(projectId: string, userKey: string): string {
  return `exists (select from erasures
                  where erasures.project_id = ${projectId} and erasures.user_key = ${userKey} and cut_us is null)`;
}
