/**
 * The composition's Kafka and registry as far as they run without their images: its settings, its secrets, and its step that
 * gives rights, by Kafka's own programs.
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openEventLog } from '../../services/event-log/open.ts';
import { TOPICS } from '../../services/messages/message.ts';
import { findJava } from '../servers/java.ts';
import { mavenArchive, mavenFiles } from '../servers/maven.ts';
import { freePorts } from '../servers/processes/ports.ts';
import { ServerProcess } from '../servers/processes/server-process.ts';
import { serverUrl } from '../servers/server.ts';
import { readCompose, valueOf } from '../support/service/compose.ts';
import { temporaryServersFolder } from '../support/service/servers-folder.ts';
import { madeSecrets } from './composed.ts';

const execute = promisify(execFile);
const { kafka, registry, 'kafka-rights': rights } = readCompose('docker-compose.yml').services;
const inFiles = madeSecrets();
const canRun = (await serverUrl('kafka')) !== undefined;
const TRACK = 'tidemark.track';

let java: string;
let classpath: string;
beforeAll(async () => {
  java = await findJava();
  const jars = [...(await mavenFiles('kafka-jars.sha256')), ...(await mavenFiles('kafka-tools.sha256'))];
  classpath = jars.join(delimiter);
});

/** The composition on this machine: texts of the file with what stands for its folders and addresses here. */
class Here {
  readonly folder: string;
  readonly #ports: readonly number[];

  constructor(folder: string, ports: readonly number[]) {
    this.folder = folder;
    this.#ports = ports;
  }

  static async make(): Promise<Here> {
    const folder = await temporaryServersFolder();
    for (const name of ['secrets', 'defaults', 'mounted', 'final']) await mkdir(join(folder, name));
    for (const name of ['server.properties', 'log4j2.yaml', 'tools-log4j2.yaml'])
      await writeFile(join(folder, 'defaults', name), '');
    const here = new Here(folder, await freePorts(5));
    for (const [name, text] of inFiles) await writeFile(join(folder, 'secrets', name), text);
    return here;
  }

  text(text: string): string {
    return valueOf(text)
      .replaceAll('://:', '://127.0.0.1:')
      .replaceAll('kafka:9', '127.0.0.1:9')
      .replaceAll(/127\.0\.0\.1:909(\d)/g, (_, last: string) => `127.0.0.1:${this.port(Number(last))}`)
      .replaceAll('/run/secrets/', `${this.folder}/secrets/`)
      .replaceAll('/etc/tidemark/', `${resolve('deploy/kafka')}/`)
      .replaceAll('/var/lib/kafka/data', `${this.folder}/data`)
      .replace('/opt/kafka/bin/kafka-acls.sh', `${java} -Xmx128m -cp ${classpath} org.apache.kafka.tools.AclCommand`);
  }

  /** 2 to 4 are those that end with it; 0 and 1 are for the registry. */
  port(last: number): number {
    return this.#ports[last] ?? 0;
  }

  environment(service: { readonly environment?: Readonly<Record<string, string | number>> } = {}): NodeJS.ProcessEnv {
    const given = Object.entries(service.environment ?? {}).map(([name, value]) => [name, this.text(String(value))]);
    return { PATH: process.env['PATH'], ...(Object.fromEntries(given) as Record<string, string>) };
  }

  url(user: string): string {
    return this.text((inFiles.get(`event-log-url-${user}`) ?? '').trim());
  }

  async startKafka(): Promise<void> {
    const env = this.environment(kafka);
    const folders = ['-D', 'defaults', '-M', 'mounted', '-F', 'final'].map((word, at) =>
      at % 2 === 0 ? word : join(this.folder, word),
    );
    // What the image does at each start: it makes a file of the variables, and formats the folder of the data.
    await execute(java, ['-cp', classpath, 'kafka.docker.KafkaDockerWrapper', 'setup', ...folders], { env });
    const options = `${env['KAFKA_OPTS']} ${env['KAFKA_LOG4J_OPTS']}`.split(' ');
    await this.#started(
      'Kafka',
      env,
      'CLASSPATH',
      ['-Xmx256m', ...options, '-cp', classpath, 'kafka.Kafka', join(this.folder, 'final/server.properties')],
      () => this.#opens('admin'),
    );
  }

  async startRegistry(): Promise<string> {
    const program = join(await mavenArchive('apicurio.sha256'), 'apicurio-registry-app-3.0.9-runner.jar');
    const env = this.environment(registry);
    const ports = ['http', 'management'].flatMap((name, at) => [
      `-Dquarkus.${name}.host=127.0.0.1`,
      `-Dquarkus.${name}.port=${this.port(at)}`,
    ]);
    const url = `http://127.0.0.1:${this.port(0)}/apis/ccompat/v7`;
    const args = [...(env['JAVA_OPTS_APPEND'] ?? '').trim().split(/\s+/), ...ports, '-jar', program];
    await this.#started('Apicurio', env, 'registry', args, async () => {
      const response = await fetch(`${url}/subjects`);
      if (!response.ok) throw new Error(await response.text());
    });
    return url;
  }

  /** Rejects while no broker answers, which a denial is an answer of. */
  async #opens(user: string): Promise<void> {
    const opened = openEventLog(this.url(user), { topics: TOPICS, migration: { isOn: false } });
    const log = await opened.catch((error: { code?: string }) => {
      if (error.code !== 'SERVER_DENIED' && error.code !== 'STORE_OLDER') throw error;
    });
    await log?.close();
  }

  async #started(name: string, env: NodeJS.ProcessEnv, log: string, args: string[], answers: () => Promise<void>) {
    const server = new ServerProcess({
      name,
      command: java,
      args,
      cwd: this.folder,
      env,
      log: join(this.folder, `${log}.log`),
      stopSignal: 'SIGTERM',
      answers,
    });
    await server.start();
    onTestFinished(() => server.kill());
  }
}

test.skipIf(!canRun)(
  "each process of the composition may do in Kafka what its user's rights say, and nobody without a name may do anything",
  { timeout: 480_000 },
  async () => {
    const here = await Here.make();
    await here.startKafka();
    await execute('sh', ['deploy/rights/kafka.sh'], { env: here.environment(rights) });

    const options = { topics: TOPICS, partitions: 2 };
    const owned = await openEventLog(here.url('admin'), options);
    onTestFinished(() => owned.close());
    const opened = await Promise.all(
      ['ingest', 'projector', 'sink'].map((user) =>
        openEventLog(here.url(user), { ...options, migration: { isOn: false } }),
      ),
    );
    onTestFinished(async () => void (await Promise.all(opened.map((log) => log.close()))));
    const [ingest, projector] = opened;
    const record = { topic: TRACK, key: Buffer.from('k'), value: Buffer.from('v') };
    expect(await ingest?.append([record])).toMatchObject([{ topic: TRACK }]);
    await expect(projector?.append([record])).rejects.toThrow();
    await expect(
      openEventLog(here.url('ingest').replace(/\/\/.*@/, '//'), { ...options, migration: { isOn: false } }),
    ).rejects.toThrow();
  },
);

test.skipIf(!canRun)(
  'the registry of the composition keeps a schema in Kafka as its own user',
  { timeout: 480_000 },
  async () => {
    const here = await Here.make();
    await here.startKafka();
    await execute('sh', ['deploy/rights/kafka.sh'], { env: here.environment(rights) });
    const url = await here.startRegistry();

    const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
    const body = JSON.stringify({ schema: '"string"' });
    const registered = await fetch(`${url}/subjects/some-value/versions`, { method: 'POST', headers, body });

    expect([registered.status, await registered.json()]).toEqual([200, { id: expect.any(Number) as number }]);
  },
);
