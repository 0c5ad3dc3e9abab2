/** How a request for an import is read. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, isAbsolute } from 'node:path';
import { type ImportRequest, isFileId } from '../../maintenance/import/import-request.ts';
import type { Problem } from '../../messages/message.ts';
import { pointerTo } from '../../messages/unacceptable.ts';
import { type Checked, refuseBody } from '../../query-api/query.ts';
import type { AdminCall } from '../answers.ts';
import { type Members, readMembers } from '../reading.ts';

const SOURCE = ['project', 'file', 'path', 'type', 'format', 'delimiter', 'types', 'json_columns', 'map'] as const;
const IMPORT = [...SOURCE, 'rate', 'import_id', 'dry_run'] as const;
/** Whoever can open the socket owns these files anyway. */
const LOCAL = [...IMPORT, 'report', 'state', 'restart'] as const;

const MAX_NAMES = 1_000;
const MAX_NAME = 512;
const MAX_PATH = 4_096;
const MAX_RATE = 1_000_000_000;

/** The file and how it is read. */
export function readSource(call: AdminCall): Checked<ImportRequest> {
  return readWith(call, SOURCE);
}

export function readImport(call: AdminCall): Checked<ImportRequest> {
  return readWith(call, call.isLocal ? LOCAL : IMPORT);
}

function readWith(call: AdminCall, known: readonly string[]): Checked<ImportRequest> {
  const members = readMembers(call, known);
  if (!members.ok) return members;
  const reader = new MemberReader(members.value);
  const file = reader.optional('file', isText(100), 'is the id of an uploaded file');
  const path = reader.optional('path', isPath, 'is an absolute path on the machine of the service');
  if ((file === null) === (path === null)) reader.problem('', 'has exactly one of file and path');
  if (file !== null && !isFileId(file)) reader.problem('/file', 'is the id of an uploaded file');
  const request: ImportRequest = {
    project: reader.required('project', isText(200), 'is the id or the name of a project'),
    name: path === null ? '' : basename(path),
    file,
    path,
    anywhere: call.isLocal,
    host: hostname(),
    folder: `imp_${randomBytes(10).toString('hex')}`,
    type: reader.optional('type', isOneOf('identify', 'track'), 'is identify or track'),
    format: reader.optional('format', isOneOf('ndjson', 'csv'), 'is ndjson or csv'),
    delimiter: reader.optional('delimiter', isDelimiter, 'is one ASCII character, and no quote') ?? ',',
    types: reader.optional('types', isBoolean, 'is true or false') ?? false,
    json_columns: reader.optional('json_columns', isNames, `is a list of ${MAX_NAMES} names of columns at most`) ?? [],
    map: reader.optional('map', isMap, `is an object of ${MAX_NAMES} names of columns at most`) ?? {},
    rate: reader.optional('rate', isRate, 'is a whole number of lines a second from 1 up'),
    import_id: reader.optional('import_id', isText(128), 'is a text of 1 to 128 characters'),
    dry_run: reader.optional('dry_run', isBoolean, 'is true or false') ?? false,
    report: reader.optional('report', isPath, 'is an absolute path'),
    state: reader.optional('state', isPath, 'is an absolute path'),
    restart: reader.optional('restart', isBoolean, 'is true or false') ?? false,
  };
  return reader.problems.length > 0 ? refuseBody(reader.problems) : { ok: true, value: request };
}

class MemberReader {
  readonly problems: Problem[] = [];
  readonly #members: Members;

  constructor(members: Members) {
    this.#members = members;
  }

  optional<T>(name: string, is: (value: unknown) => value is T, message: string): T | null {
    const value = this.#members[name];
    if (value === undefined || value === null) return null;
    if (is(value)) return value;
    this.problem(pointerTo([name]), message);
    return null;
  }

  required(name: string, is: (value: unknown) => value is string, message: string): string {
    const value = this.optional(name, is, message);
    if (value === null && this.problems.every(({ path }) => path !== pointerTo([name]))) {
      this.problem(pointerTo([name]), 'is required');
    }
    return value ?? '';
  }

  problem(path: string, message: string): void {
    this.problems.push({ path, message });
  }
}

function isText(maxLength: number): (value: unknown) => value is string {
  return (value): value is string =>
    typeof value === 'string' && value !== '' && value.length <= maxLength && !value.includes('\0');
}

const isPathText = isText(MAX_PATH);
const isColumnName = isText(MAX_NAME);

function isPath(value: unknown): value is string {
  return isPathText(value) && isAbsolute(value);
}

function isOneOf<T extends string>(...all: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => all.some((one) => one === value);
}

function isDelimiter(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e]$/.test(value) && value !== '"';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_NAMES && value.every(isColumnName);
}

function isMap(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= MAX_NAMES && entries.every(([name, target]) => isColumnName(name) && isColumnName(target));
}

function isRate(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_RATE;
}
