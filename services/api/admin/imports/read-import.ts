/** How a request for an import is read. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Body } from '../../../../schemas/operations.ts';
import { IMPORT_DEFAULTS, type ImportOptions } from '../../../operations/import/import-options.ts';
import type { ImportRequest } from '../../../operations/import/import-request.ts';
import type { Problem } from '../../../messages/message.ts';
import { type Members, readBody } from '../../input.ts';
import type { Checked } from '../../query.ts';
import type { AdminCall } from '../answers.ts';

/** Whoever can open the socket owns these files anyway. */
const LOCAL = ['report', 'state', 'restart'] as const;

/** Reads the body of an import, or of a preview, which has fewer members. */
export function readImport(
  name: 'POST /v1/admin/imports' | 'POST /v1/admin/imports/preview',
  call: AdminCall,
): Checked<ImportRequest> {
  const read = readBody(name, call, (members) => {
    const problems = problemsIn(members, call.isLocal);
    return problems.length > 0 ? { ok: false, problems } : { ok: true };
  });
  return read.ok ? { ok: true, value: importRequestOf(read.value.body, call.isLocal) } : read;
}

const SOURCES = ['file', 'path', 'files', 'paths'] as const;

function problemsIn(members: Members, isLocal: boolean): readonly Problem[] {
  const foreign = isLocal ? [] : LOCAL.filter((name) => name in members);
  const given = SOURCES.filter((name) => (members[name] ?? null) !== null);
  return [
    ...(given.length === 1 ? [] : [{ path: '', message: 'must have exactly one of file, path, files and paths' }]),
    ...foreign.map((name) => ({ path: `/${name}`, message: 'is known on the machine of the service alone' })),
  ];
}

/** A member that is null is as one that is left out. */
function importRequestOf(body: Body<'POST /v1/admin/imports'>, isLocal: boolean): ImportRequest {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const { path, paths } = body;
  const [first] = paths ?? (typeof path === 'string' ? [path] : []);
  return {
    ...IMPORT_DEFAULTS,
    ...(given as Partial<ImportOptions>),
    project: body.project,
    name: first === undefined ? '' : importName(basename(first), paths?.length ?? 1),
    anywhere: isLocal,
    host: hostname(),
    folder: `imp_${randomBytes(10).toString('hex')}`,
  };
}

/** What people call an import of these files. */
export function importName(first: string, count: number): string {
  return count > 1 ? `${first} and ${count - 1} more` : first;
}
