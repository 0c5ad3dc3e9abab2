/** The users of `deploy/rights` on servers of tests: each has its name for a password, and may do what is written there. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import kafkajs, { type AclOperationTypes, type AclResourceTypes, type Admin } from 'kafkajs';
import { Client } from 'pg';
import { migrateStores } from '../../../services/app/backups/migrate.ts';
import { readConfig } from '../../../services/runtime/config.ts';
import { retry } from '../../../services/runtime/retry.ts';
import { SUPERUSER } from '../../servers/kafka-settings.ts';
import type { ServerAddresses } from '../service/server-settings.ts';

export type LimitedUser = 'admin' | 'ingest' | 'projector' | 'sink' | 'webhooks';
export const LIMITED_USERS: readonly LimitedUser[] = ['admin', 'ingest', 'projector', 'sink', 'webhooks'];
/** As the servers know them. */
export const LIMITED_NAMES: readonly string[] = LIMITED_USERS.map(userNameOf);

const RIGHTS_FOLDER = 'deploy/rights';
const ACL_PROGRAM = 'acl';
const MIGRATED_WITHIN_MS = 120_000;

type Acl = Parameters<Admin['createAcls']>[0]['acl'][number];

/** The users on servers: Kafka has them on a listener of their own, ClickHouse in its configuration. */
export class LimitedUsers {
  readonly #servers: ServerAddresses;

  /** @param servers Kafka's is where they sign in; Postgres' is that of a superuser, who makes them. */
  constructor(servers: ServerAddresses) {
    this.#servers = servers;
  }

  /** Makes them in Postgres, and gives them their rights there and in Kafka. */
  async make(): Promise<void> {
    await this.grantInPostgres();
    for (const name of LIMITED_NAMES) await this.inPostgres(`alter role ${name} password '${name}'`);
    await this.#asKafkaAdmin(async (admin) => void (await admin.createAcls({ acl: await this.#acls() })));
  }

  /** Migrates the stores as their owner, and then grants, as the guide says. */
  async migrate(): Promise<void> {
    const config = readConfig(this.addressesOf('admin'));
    await retry(() => migrateStores(config, () => undefined), { signal: AbortSignal.timeout(MIGRATED_WITHIN_MS) });
    await this.grantInPostgres();
  }

  addressesOf(user: LimitedUser): ServerAddresses {
    const { EVENT_LOG_URL, PROFILES_URL, ANALYTICS_URL, SCHEMA_REGISTRY_URL } = this.#servers;
    const [kafka, profiles, analytics] = [EVENT_LOG_URL, PROFILES_URL, ANALYTICS_URL].map((url) =>
      asUser(userNameOf(user), url),
    );
    return { EVENT_LOG_URL: kafka!, PROFILES_URL: profiles!, ANALYTICS_URL: analytics!, SCHEMA_REGISTRY_URL };
  }

  /** What a process is given that is this user: webhooks have nothing of Kafka. */
  settingsOf(user: LimitedUser): Readonly<Record<string, string>> {
    const { EVENT_LOG_URL, SCHEMA_REGISTRY_URL, ...stores } = this.addressesOf(user);
    const log = user === 'webhooks' ? {} : { EVENT_LOG_URL, SCHEMA_REGISTRY_URL };
    return { ...stores, ...log, MIGRATE: 'off', ADMIN: user === 'admin' ? 'on' : 'off' };
  }

  /** Applies `postgres.sql`, as after each migration. */
  async grantInPostgres(): Promise<void> {
    await this.inPostgres(await readFile(`${RIGHTS_FOLDER}/postgres.sql`, 'utf8'));
  }

  /** Runs this as the superuser. */
  async inPostgres(sql: string): Promise<void> {
    const client = new Client({ connectionString: this.#servers.PROFILES_URL });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /** Takes a right on a topic of this name from a user. */
  async takeOnKafka(user: LimitedUser, topic: string, operation: string): Promise<void> {
    const revoked = (await this.#acls()).filter(
      (acl) =>
        acl.principal === `User:${userNameOf(user)}` &&
        acl.resourceName === `${this.#topicPrefix()}${topic}` &&
        acl.operation === aclOperation(operation),
    );
    if (revoked.length === 0) throw new Error(`${user} has no right to ${operation} ${topic}`);
    await this.#asKafkaAdmin(async (admin) => void (await admin.deleteAcls({ filters: revoked })));
  }

  #topicPrefix(): string {
    return /[?&]topic_prefix=([^&]*)/.exec(this.#servers.EVENT_LOG_URL)?.[1] ?? '';
  }

  /** What `kafka.sh` would have Kafka's own program add. */
  async #acls(): Promise<readonly Acl[] & Acl[]> {
    const env = { PATH: process.env['PATH'], KAFKA_ACLS: `echo ${ACL_PROGRAM}`, PREFIX: this.#topicPrefix() };
    const { stdout } = await promisify(execFile)(`${RIGHTS_FOLDER}/kafka.sh`, [], { env });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .flatMap(aclsIn);
  }

  async #asKafkaAdmin(run: (admin: Admin) => Promise<void>): Promise<void> {
    const [, brokers = ''] = /^kafka:\/\/([^/?]*)/.exec(this.#servers.EVENT_LOG_URL) ?? [];
    const sasl = { mechanism: 'plain', username: SUPERUSER, password: SUPERUSER } as const;
    const admin = new kafkajs.Kafka({ brokers: brokers.split(','), sasl, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      await run(admin);
    } finally {
      await admin.disconnect();
    }
  }
}

/** What its process is started as. */
export function roleOf(user: LimitedUser): string {
  return user === 'admin' ? 'ingest' : user;
}

function userNameOf(user: LimitedUser): string {
  return `tidemark_${user}`;
}

/** The URL with this user, whoever it has. */
export function asUser(name: string, url: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, `$1${name}:${name}@`);
}

const GRANT_LINE = /^(GRANT .*) TO (tidemark_\w+);$/gm;

/**
 * The users of `clickhouse.sql` as ClickHouse's configuration has them, since its library makes none by statements.
 *
 * @param without Grants that are left out: those that this finds.
 */
export async function usersInClickHouse(without?: RegExp): Promise<string> {
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

const ACL_RESOURCES: Readonly<Record<string, AclResourceTypes>> = {
  '--topic': kafkajs.AclResourceTypes.TOPIC,
  '--group': kafkajs.AclResourceTypes.GROUP,
  '--cluster': kafkajs.AclResourceTypes.CLUSTER,
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
      resourcePatternType:
        pattern === 'prefixed' ? kafkajs.ResourcePatternTypes.PREFIXED : kafkajs.ResourcePatternTypes.LITERAL,
      principal,
      host: '*',
      operation,
      permissionType: kafkajs.AclPermissionTypes.ALLOW,
    })),
  );
}

function aclOperation(operation: string): AclOperationTypes {
  const name = operation.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  const found = kafkajs.AclOperationTypes[name as keyof typeof kafkajs.AclOperationTypes] as
    AclOperationTypes | undefined;
  if (found === undefined) throw new Error(`Kafka has no operation ${operation}`);
  return found;
}
