import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findJava } from './java.ts';
import { mavenArchive } from './maven.ts';
import { freePorts } from './processes/ports.ts';
import { controlsOf, ServerProcess, type ServerControls } from './processes/server-process.ts';

export interface RegistryOptions {
  readonly folder: string;
  readonly port?: number;
}

export interface Registry extends ServerControls {
  /** Its Confluent API. Registered schemas are in memory: they are gone after a stop. */
  readonly url: string;
  readonly port: number;
}

/** Apicurio Registry 3.0.9, the last that runs on Java 17. */
export async function startRegistry({ folder, port }: RegistryOptions): Promise<Registry> {
  const java = await findJava();
  const program = await mavenArchive('apicurio.sha256');
  await mkdir(folder, { recursive: true });
  const free = await freePorts(2);
  const at = port ?? free[0]!;
  const url = `http://127.0.0.1:${at}/apis/ccompat/v7`;
  const settings = [
    '-Dquarkus.http.host=127.0.0.1',
    `-Dquarkus.http.port=${at}`,
    // Its management would listen to the world.
    '-Dquarkus.management.host=127.0.0.1',
    `-Dquarkus.management.port=${free[1]}`,
  ];
  const server = new ServerProcess({
    name: 'Apicurio',
    command: java,
    args: [
      '-Xmx256m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      ...settings,
      '-jar',
      join(program, 'apicurio-registry-app-3.0.9-runner.jar'),
    ],
    cwd: folder,
    log: join(folder, 'registry.log'),
    stopSignal: 'SIGTERM',
    answers: () => answers(`${url}/subjects`),
  });
  await server.start();
  return {
    url,
    port: at,
    ...controlsOf(server),
  };
}

async function answers(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
}
