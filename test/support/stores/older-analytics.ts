import { CLICKHOUSE_SCHEMAS } from '../../../services/stores/analytics/clickhouse/migrations.ts';
import { readMigrations, statementsOf } from '../../../services/runtime/migrate.ts';

export const ANALYTICS_MIGRATIONS = await readMigrations(CLICKHOUSE_SCHEMAS);

/**
 * The statements that bring an empty database of analytics to where a version left it whose last migration had this
 * number.
 *
 * @param statement How the deployment words a statement.
 */
export function statementsUpTo(number: number, statement: (sql: string) => string): readonly string[] {
  const files = ANALYTICS_MIGRATIONS.slice(0, number);
  const applied = files.map(({ number: applies, name, checksum }) => `(${applies}, '${name}', '${checksum}')`);
  return [
    ...files.flatMap(({ sql }) => statementsOf(sql)).map((sql) => statement(sql)),
    `CREATE TABLE schema_migrations (number UInt32, name String, checksum String) ENGINE = ReplacingMergeTree ORDER BY number`,
    `INSERT INTO schema_migrations VALUES ${applied.join(', ')}`,
  ];
}
