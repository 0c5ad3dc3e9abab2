import type { CreatedKey, ShownKey, ShownProject } from '../projects/project-commands.ts';
import type { CliContext } from './context.ts';

/** Options that every subcommand with an answer has. */
export interface OutputOptions {
  readonly json?: true;
}

export const JSON_OPTION = ['--json', 'print JSON for programs'] as const;

export function printProjects({ out }: CliContext, projects: readonly ShownProject[]): void {
  const rows = projects.map(({ id, name, timezone, rate_limit: limit, created_at: created }) => {
    return [id, name, timezone, limit === null ? 'none' : `${limit}/s`, created];
  });
  out(table(['ID', 'NAME', 'TIMEZONE', 'RATE LIMIT', 'CREATED'], rows));
}

export function printKeys({ out }: CliContext, keys: readonly ShownKey[]): void {
  const rows = keys.map(({ id, project_id: project, scope, created_at: created, revoked_at: revoked }) => {
    return [id, project, scope, created, revoked ?? '-'];
  });
  out(table(['ID', 'PROJECT', 'SCOPE', 'CREATED', 'REVOKED'], rows));
}

/** The key alone on standard output, so that `KEY=$(tidemark key create …)` does what it says. */
export function printCreatedKey({ out, err }: CliContext, { id, scope, key }: CreatedKey): void {
  err(`The ${scope} key ${id}, shown only this once:\n`);
  out(`${key}\n`);
}

export function printJson({ out }: CliContext, value: unknown): void {
  out(`${JSON.stringify(value, null, 2)}\n`);
}

/** Columns as wide as their widest cell, two spaces apart. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => width(line[column] ?? ''))));
  return lines.map((line) => `${padded(line, widths).join('  ').trimEnd()}\n`).join('');
}

function padded(line: readonly string[], widths: readonly number[]): string[] {
  return line.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)));
}

function width(text: string): number {
  return Array.from(text).length;
}
