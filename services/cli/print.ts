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

export function width(text: string): number {
  return Array.from(text).length;
}

/** Text of users on one line: it may hold line breaks and control characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
}

/** The text, cut to a length; its last character then says that it was cut. */
export function shortened(text: string, characters: number): string {
  return width(text) <= characters
    ? text
    : `${Array.from(text)
        .slice(0, characters - 1)
        .join('')}…`;
}

/** `2026-11-24 11:42:27` in the time zone of the machine. */
export function localTime(iso: string): string {
  // Swedish writes dates as ISO-8601 does.
  return new Date(iso).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'medium' });
}

/** A figure for people: whole from ten on, with one digit below. */
export function rounded(value: number): string {
  return value >= 10 || value === 0 ? String(Math.round(value)) : value.toFixed(1);
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}
