import type { CliContext } from './context.ts';

/** Options that every subcommand with an answer has. */
export interface OutputOptions {
  readonly json?: true;
}

export const JSON_OPTION = ['--json', 'print JSON for programs'] as const;

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
