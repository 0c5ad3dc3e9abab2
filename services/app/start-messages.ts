/** What the service prints for people when it starts, beside its log. */
import { existsSync } from 'node:fs';
import type { Config } from '../runtime/config.ts';
import { hostInUrl } from '../runtime/server-url.ts';
import { hasEmbedded } from '../runtime/embedded.ts';
import type { Role } from './role.ts';

/** Whether this start will make the embedded stores. */
export function makesStores(role: Role, config: Config): boolean {
  return role === 'all' && hasEmbedded(config) && !existsSync(config.dataDir);
}

export interface StartingFacts {
  readonly version: string;
  readonly role: Role;
  readonly config: Config;
  readonly makesStores: boolean;
}

export function startingText({ version, role, config, makesStores: isFirst }: StartingFacts): string {
  const { host, port } = config;
  const where = port === 0 ? `a free port of ${hostInUrl(host)}` : `http://${hostInUrl(host)}:${port}`;
  const name = role === 'all' ? `Tidemark ${version}` : `Tidemark ${version}, role ${role},`;
  return `Starting ${name} on ${where}; ${durationText(role, config, isFirst)}.\n`;
}

function durationText(role: Role, config: Config, isFirst: boolean): string {
  if (isFirst) return 'the first start makes its stores, which takes a few seconds';
  if (role === 'all' && hasEmbedded(config)) return 'it opens its stores, which takes a second or two';
  return 'it is ready as soon as its servers answer';
}

export interface ReadyFacts {
  readonly version: string;
  readonly role: Role;
  readonly address: string;
  readonly projects: readonly string[];
  /** Whether the console is served. */
  readonly console: boolean;
}

export function readyText({ version, role, address, projects, console }: ReadyFacts): string {
  const rows =
    role !== 'all' && role !== 'ingest'
      ? [['State', `${address}/readyz`]]
      : [
          ...(projects.length === 0 ? [] : [['Projects', projectsText(projects)]]),
          ...(console ? [['Console', `${address}/console/`]] : []),
          ['Front page', `${address}/`],
          ['API reference', `${address}/docs`],
          ['Make a key', `./tidemark key create${projects.length === 1 ? '' : ' --project PROJECT'} --scope read`],
          ['See it live', './tidemark tail'],
        ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd('API reference'.length)}  ${value}\n`);
  return `\nTidemark ${version} is ready at ${address}\n${lines.join('')}  Ctrl-C stops it.\n\n`;
}

const MAX_PROJECT_NAMES = 10;

function projectsText(projects: readonly string[]): string {
  const names = projects.slice(0, MAX_PROJECT_NAMES).map((name) => JSON.stringify(name));
  const more = projects.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
