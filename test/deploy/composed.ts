/** The secrets of a composition, the users that its services are in the stores, and the files that it mounts. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ComposeFile, type ComposeService, valueOf } from '../support/service/compose.ts';

/** What each secret holds that `deploy/make-secrets.sh` makes, by the name of its file. */
export type Secrets = ReadonlyMap<string, string>;

export function madeSecrets(env: Readonly<Record<string, string>> = {}, times = 1): Secrets {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-'));
  try {
    cpSync('deploy', join(folder, 'deploy'), { recursive: true });
    const options = { env: { PATH: process.env['PATH'], ...env } };
    for (let time = 0; time < times; time++) execFileSync(join(folder, 'deploy/make-secrets.sh'), [], options);
    const files = readdirSync(join(folder, 'secrets')).sort();
    return new Map(files.map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const IN_FILE = /^(.*)_FILE$/;
const SECRET = /\/run\/secrets\/([\w.-]+)/g;

/** The settings of a service of ours: those in files as what stands there, and those that must be set as if they were. */
export function settingsOf({ environment = {} }: ComposeService, secrets: Secrets): Record<string, string> {
  const pairs = Object.entries(environment).map(([name, value]) => {
    const [, setting] = IN_FILE.exec(name) ?? [];
    const [[, secret = ''] = []] = [...String(value).matchAll(SECRET)];
    return setting === undefined ? [name, valueOf(String(value))] : [setting, (secrets.get(secret) ?? '').trimEnd()];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** What is wrong in a composition with secrets, users and mounts, a line each. */
export function compositionProblems({ services, secrets = {} }: ComposeFile, made: Secrets): readonly string[] {
  const absent = Object.entries(secrets).flatMap(([name, { file }]) =>
    file === `secrets/${name}` && made.has(name) ? [] : `no secret is made as ${file}`,
  );
  const unused = Object.keys(secrets).filter(
    (name) => !Object.values(services).some((service) => namesOf(service).includes(name)),
  );
  const ofServices = Object.entries(services).flatMap(([name, service]) =>
    [...mountsWithout(service), ...givenOnly(service, secrets), ...inTheClear(service), ...usersOf(service, made)].map(
      (problem) => `${name}: ${problem}`,
    ),
  );
  return [...absent, ...unused.map((name) => `nobody is given ${name}`), ...ofServices];
}

function namesOf({ secrets = [] }: ComposeService): readonly string[] {
  return secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source));
}

function mountsWithout({ volumes = [] }: ComposeService): readonly string[] {
  const files = volumes.filter((volume) => volume.startsWith('.')).map((volume) => volume.split(':')[0] ?? '');
  return files.filter((file) => !existsSync(file)).map((file) => `there is no ${file} to mount`);
}

/** A secret is given to whom names it, and to nobody else. */
function givenOnly(service: ComposeService, declared: NonNullable<ComposeFile['secrets']>): readonly string[] {
  const { environment = {}, command = [], entrypoint = [], secrets = [] } = service;
  const texts = [...Object.values(environment).map(String), ...command, ...entrypoint];
  const named = new Set(texts.flatMap((text) => [...text.matchAll(SECRET)].map(([, name = '']) => name)));
  const inFolder = secrets.flatMap((secret) => (typeof secret === 'string' ? secret : []));
  return [
    ...[...named].filter((name) => !inFolder.includes(name)).map((name) => `it is not given the secret ${name}`),
    ...inFolder.filter((name) => !named.has(name)).map((name) => `it has no use for the secret ${name}`),
    ...namesOf(service).flatMap((name) => (name in declared ? [] : `the secret ${name} is not declared`)),
  ];
}

function inTheClear({ environment = {} }: ComposeService): readonly string[] {
  const secret = Object.entries(environment).filter(
    ([name, value]) =>
      (/PASSWORD|_KEY\b|SECRET/.test(name) && !IN_FILE.test(name) && value !== '') ||
      /:\/\/[^/@]*:[^/@]*@/.test(String(value)),
  );
  return secret.map(([name]) => `${name} stands in the clear`);
}

/** The list of users that the store of a setting gets. */
const USERS_OF = {
  EVENT_LOG_URL: 'kafka-users.jaas',
  PROFILES_URL: 'postgres-users.sql',
  ANALYTICS_URL: 'clickhouse-users.sql',
};

/** A process is in each store who `deploy/rights` names for its role, with the password that the store has. */
function usersOf(service: ComposeService, made: Secrets): readonly string[] {
  if (service.build === undefined) return [];
  const settings = settingsOf(service, made);
  const wanted = userFor(service, settings);
  return Object.entries(USERS_OF).flatMap(([setting, users]) => {
    const url = settings[setting];
    if (url === undefined) return [];
    const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' };
    const isListed = password !== '' && (made.get(users) ?? '').includes(password);
    return username === wanted && isListed ? [] : `in ${setting} it is the user ${username}, not ${wanted}`;
  });
}

/** A process that begins jobs, migrates, or does all, owns what there is. */
function userFor({ command = [] }: ComposeService, settings: Readonly<Record<string, string>>): string {
  const [role = 'all'] = command;
  const isOwner = role === 'all' || (role === 'ingest' && settings['ADMIN'] !== 'off');
  return `tidemark_${isOwner ? 'admin' : role}`;
}
