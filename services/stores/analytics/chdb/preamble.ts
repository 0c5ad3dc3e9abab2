/** Formats settings and parameters as the SET statements before a statement in chDB. Pure. */
import { sqlString } from '../clickhouse/deployment.ts';

/** Settings of ClickHouse's HTTP server that chDB does not have. */
const HTTP_ONLY = new Set(['wait_end_of_query', 'cancel_http_readonly_queries_on_client_close']);

type SettingValue = string | number | boolean;

/** The settings that chDB knows, without undefined ones. */
function settingsForChdb(settings: object): Record<string, SettingValue> {
  const known: Record<string, SettingValue> = {};
  for (const [name, value] of Object.entries(settings) as [string, unknown][]) {
    if (value === undefined || HTTP_ONLY.has(name)) continue;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(`the setting ${name} is no plain value`);
    }
    known[name] = value;
  }
  return known;
}

/**
 * `SET a = 1; SET param_b = 'text'; ` Settings first, since one is how long a statement may be. The engine binds parameters with the types that the query declares. (chDB's own API
 * for parameters runs one such statement at a time in the whole process.)
 */
export function preambleOf(settings: object, params: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(settingsForChdb(settings)).map(
    ([name, value]) => `${identifier(name)} = ${setting(value)}`,
  );
  const bound = Object.entries(params).map(
    ([name, value]) => `param_${identifier(name)} = ${sqlString(paramText(value))}`,
  );
  return [set, bound].map((all) => (all.length === 0 ? '' : `SET ${all.join(', ')}; `)).join('');
}

function identifier(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of a setting or parameter`);
  return name;
}

function setting(value: SettingValue): string {
  return typeof value === 'string' ? sqlString(value) : String(Number(value));
}

/** A value in the format of the HTTP interface: text is escaped as in TSV, elements of an array are literals. */
function paramText(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  return typeof value === 'string' ? escapedAsTsv(value) : literal(value);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return sqlString(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`;
  throw new TypeError(`a parameter cannot be a ${typeof value}`);
}

const TSV_ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
};

function escapedAsTsv(text: string): string {
  return text.replaceAll(/[\\\t\n\r\0]/g, (char) => TSV_ESCAPES[char] ?? char);
}
