import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** What the tests look at of a service in a compose file. */
export interface ComposeService {
  readonly extends?: { readonly file: string; readonly service: string };
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  /** Those of the machine by their paths from here. */
  readonly volumes?: readonly string[];
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly user?: string;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly networks?: readonly string[];
  readonly mem_limit?: string;
  readonly restart?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean }>>;
  /** The files by their paths from here. */
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

/** With anchors, merge keys and what a service extends resolved; variables are left as they stand. */
export function readCompose(file: string): ComposeFile {
  return composeOf(readFileSync(file, 'utf8'), dirname(file));
}

/** The same of a text that stands in this folder. */
export function composeOf(text: string, folder: string): ComposeFile {
  const { services, secrets = {}, ...more } = parse(text, { merge: true }) as ComposeFile;
  const whole = Object.entries(services).map(([name, { extends: base, volumes = [], ...service }]) => {
    const mounts = volumes.map((volume) => (volume.startsWith('.') ? `./${join(folder, volume)}` : volume));
    const extended = base && readCompose(join(folder, base.file)).services[base.service];
    return [name, { ...extended, ...service, volumes: [...(extended?.volumes ?? []), ...mounts] }];
  });
  const files = Object.entries(secrets).map(([name, secret]) => [name, { file: join(folder, secret.file) }]);
  return { ...more, services: Object.fromEntries(whole), secrets: Object.fromEntries(files) };
}

export interface ComposeVariable {
  readonly name: string;
  readonly operator: string;
}

const VARIABLE = /\$\{([A-Z_]+)(:?[-?])?([^}]*)\}/g;

/** `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, `${NAME?message}` (may be empty), in the order of the text. */
export function variablesOf(text: string): ComposeVariable[] {
  return [...text.matchAll(VARIABLE)].map(([, name = '', operator = '']) => ({ name, operator }));
}

/** The text as it is where no variable is set. */
export function defaultsOf(text: string): string {
  return text.replaceAll(VARIABLE, (_, _name, operator, rest: string) => (operator === ':-' ? rest : ''));
}

/** The same where what must be set is: to something long enough for a key, and different for each name. */
export function valueOf(text: string): string {
  const set = text.replaceAll(VARIABLE, (whole: string, name: string, operator) =>
    operator === ':?' ? `${name}-`.padEnd(40, '0') : whole,
  );
  return defaultsOf(set);
}
