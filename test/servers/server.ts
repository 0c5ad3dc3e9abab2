import { askKeeper } from './ask-keeper.ts';

/**
 * The servers that all suites of one test run share. `kafka3` has three brokers; `clickhouse-cluster` has replicated tables;
 * `clickhouse-shards` has the clusters `two` and `three`, of two and three shards.
 */
export type StartedName =
  'kafka' | 'kafka3' | 'registry' | 'postgres' | 'clickhouse' | 'clickhouse-cluster' | 'clickhouse-shards';

/** `kafka-users` is where users of few rights sign in to Kafka: mostly to the same as `kafka`. */
export type ServerName = StartedName | 'kafka-users';

/**
 * The address of a real server, in the form of the service's own settings. The first to ask starts it; it is stopped when
 * the test run ends, and every suite shares it: use names of your own (topics, databases).
 *
 * Without it (no Java, no Docker, offline): `undefined` and a line that says why; with `REQUIRE_SERVERS=1` it rejects. The
 * cluster is in no package, only in Docker: `undefined` without it even then.
 */
export async function serverUrl(name: ServerName): Promise<string | undefined> {
  const answer = await askKeeper(name);
  if (answer.status === 200) return answer.text;
  if (answer.status !== 404 && process.env['REQUIRE_SERVERS'] === '1')
    throw new Error(`the tests need ${name}: ${answer.text}`);
  process.stderr.write(`no ${name} for these tests: ${answer.text}\n`);
  return undefined;
}
