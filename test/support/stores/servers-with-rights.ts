/** Kafka, Postgres and ClickHouse with the users of `deploy/rights`, who may do what is written there and nothing else. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  type Admin,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs';
import { Client } from 'pg';
import { type ClickHouse, startClickHouse } from '../../servers/clickhouse.ts';
import { type KafkaCluster, startKafka } from '../../servers/kafka.ts';
import { freshDatabase } from './fresh-database.ts';

export type LimitedUser = 'admin' | 'ingest' | 'projector' | 'sink' | 'webhooks';
export const LIMITED_USERS: readonly LimitedUser[] = ['admin', 'ingest', 'projector', 'sink', 'webhooks'];

const RIGHTS_FOLDER = 'deploy/rights';
const BROKER_USER = { user: 'tidemark', password: 'tidemark' };
const ACL_PROGRAM = 'acl';

type Acl = Parameters<Admin['createAcls']>[0]['acl'][number];

export interface ServersWithRights {
  /** What a process is given that is this user: the addresses, each with its name for a password; webhooks have none of Kafka. */
  settingsOf(user: LimitedUser): Readonly<Record<string, string>>;
  /** That of the database as its superuser. */
  readonly profilesUrl: string;
  /** Applies `postgres.sql`, as after each migration. */
  grantInPostgres(): Promise<void>;
  /** Runs this as the owner of the server. */
  inPostgres(sql: string): Promise<void>;
  /** Takes a right on a topic of this name from a user. */
  takeOnKafka(user: LimitedUser, topic: string, operation: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * @param postgres The URL of a server on which roles may be made.
 * @param without Grants of `clickhouse.sql` that are left out: those that this finds.
 */
export async function startServersWithRights(
  folder: string,
  postgres: string,
  without?: RegExp,
): Promise<ServersWithRights> {
  const names = LIMITED_USERS.map(userNameOf);
  const [kafka, clickhouse, database] = await Promise.all([
    startKafka({
      folder: join(folder, 'kafka'),
      sasl: { ...BROKER_USER, others: names },
      settings: {
        'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        // Those of the brokers' own listeners.
        'super.users': `User:ANONYMOUS;User:${BROKER_USER.user}`,
      },
    }),
    startClickHouse({ folder: join(folder, 'clickhouse'), users: await usersInClickHouse(without) }),
    freshDatabase(postgres),
  ]);
  const inPostgres = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const grantInPostgres = async (): Promise<void> =>
    inPostgres(await readFile(`${RIGHTS_FOLDER}/postgres.sql`, 'utf8'));
  await grantInPostgres();
  for (const name of names) await inPostgres(`alter role ${name} password '${name}'`);
  await asKafkaAdmin(kafka, async (admin) => void (await admin.createAcls({ acl: await aclsOf() })));
  return {
    profilesUrl: database.url,
    settingsOf: (user) => {
      const { EVENT_LOG_URL, ...others } = addressesOf(userNameOf(user), kafka, clickhouse, database.url);
      return user === 'webhooks' ? others : { EVENT_LOG_URL, ...others };
    },
    grantInPostgres,
    inPostgres,
    takeOnKafka: (user, topic, operation) =>
      asKafkaAdmin(kafka, async (admin) => {
        const revoked = (await aclsOf()).filter(
          (acl) =>
            acl.principal === `User:${userNameOf(user)}` &&
            acl.resourceName === topic &&
            acl.operation === aclOperation(operation),
        );
        if (revoked.length === 0) throw new Error(`${user} has no right to ${operation} ${topic}`);
        await admin.deleteAcls({ filters: revoked });
      }),
    stop: async () => {
      await Promise.all([kafka.stop(), clickhouse.stop(), database.drop()]);
    },
  };
}

function userNameOf(user: LimitedUser): string {
  return `tidemark_${user}`;
}

function addressesOf(
  name: string,
  kafka: KafkaCluster,
  { port }: ClickHouse,
  database: string,
): Record<'EVENT_LOG_URL' | 'PROFILES_URL' | 'ANALYTICS_URL', string> {
  const profiles = new URL(database);
  profiles.username = name;
  profiles.password = name;
  return {
    EVENT_LOG_URL: kafka.url.replace('//', `//${name}:${name}@`),
    PROFILES_URL: profiles.href,
    ANALYTICS_URL: `http://${name}:${name}@127.0.0.1:${port}/tidemark`,
  };
}

const GRANT_LINE = /^(GRANT .*) TO (tidemark_\w+);$/gm;

/** ClickHouse's library makes no users by statements: they are those of its configuration, with the same grants. */
async function usersInClickHouse(without: RegExp | undefined): Promise<string> {
  const sql = await readFile(`${RIGHTS_FOLDER}/clickhouse.sql`, 'utf8');
  const all = [...sql.matchAll(GRANT_LINE)].map(([, grant = '', user = '']) => ({ grant, user }));
  const granted = all.filter(({ grant, user }) => without?.test(`${grant} TO ${user}`) !== true);
  if (without !== undefined && granted.length === all.length) throw new Error('no grant is left out');
  return [...new Set(all.map(({ user }) => user))]
    .map((name) => {
      const grants = granted.filter(({ user }) => user === name).map(({ grant }) => `<query>${grant}</query>`);
      return `<${name}><password>${name}</password><networks><ip>127.0.0.0/8</ip></networks><profile>default</profile>
        <quota>default</quota><grants>${grants.join('')}</grants></${name}>`;
    })
    .join('');
}

/** What `kafka.sh` would have Kafka's own program add. */
async function aclsOf(): Promise<readonly Acl[] & Acl[]> {
  const env = { PATH: process.env['PATH'], KAFKA_ACLS: `echo ${ACL_PROGRAM}` };
  const { stdout } = await promisify(execFile)(`${RIGHTS_FOLDER}/kafka.sh`, [], { env });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap(aclsIn);
}

const ACL_RESOURCES: Readonly<Record<string, AclResourceTypes>> = {
  '--topic': AclResourceTypes.TOPIC,
  '--group': AclResourceTypes.GROUP,
  '--cluster': AclResourceTypes.CLUSTER,
};

/** Pure. @throws Error for what it does not know. */
function aclsIn(line: string): Acl[] {
  const [program, add, ...words] = line.replace('--cluster', '--cluster kafka-cluster').split(' ');
  const given = words.flatMap((word, at) => (at % 2 === 0 ? [{ option: word, value: words[at + 1] ?? '' }] : []));
  const valuesOf = (wanted: string): readonly string[] =>
    given.flatMap(({ option, value }) => (option === wanted ? [value] : []));
  const [principal] = valuesOf('--allow-principal');
  const [pattern] = valuesOf('--resource-pattern-type');
  const operations = valuesOf('--operation').map(aclOperation);
  const resources = given.filter(({ option }) => option in ACL_RESOURCES);
  const isWhole = 2 + operations.length + resources.length === given.length && words.length === 2 * given.length;
  if (program !== ACL_PROGRAM || add !== '--add' || principal === undefined || !isWhole) throw new Error(line);
  return resources.flatMap(({ option, value: resourceName }) =>
    operations.map((operation) => ({
      resourceType: ACL_RESOURCES[option] as AclResourceTypes,
      resourceName,
      resourcePatternType: pattern === 'prefixed' ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
      principal,
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

function aclOperation(operation: string): AclOperationTypes {
  const name = operation.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const found = AclOperationTypes[name as keyof typeof AclOperationTypes] as AclOperationTypes | undefined;
  if (found === undefined) throw new Error(`Kafka has no operation ${operation}`);
  return found;
}

async function asKafkaAdmin(kafka: KafkaCluster, run: (admin: Admin) => Promise<void>): Promise<void> {
  const { user: username, password } = BROKER_USER;
  const brokers = kafka.brokers.map(({ port }) => `127.0.0.1:${port}`);
  const sasl = { mechanism: 'plain', username, password } as const;
  const admin = new Kafka({ brokers, sasl, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await run(admin);
  } finally {
    await admin.disconnect();
  }
}
