import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** What the tests look at of a service in a compose file. */
export interface ComposeService {
  readonly extends?: { readonly file: string; readonly service: string };
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
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
}

/** With anchors, merge keys and what a service extends resolved; variables are left as they stand. */
export function readCompose(file: string): ComposeFile {
  const { services, volumes, networks } = parse(readFileSync(file, 'utf8'), { merge: true }) as ComposeFile;
  const whole = Object.entries(services).map(([name, { extends: base, ...service }]) => [
    name,
    base === undefined
      ? service
      : { ...readCompose(join(dirname(file), base.file)).services[base.service], ...service },
  ]);
  return { services: Object.fromEntries(whole) as ComposeFile['services'], volumes, ...(networks && { networks }) };
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
