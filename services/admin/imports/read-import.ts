/** How a request for an import is read. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type { Body } from '../../../schemas/operations.ts';
import type { ImportRequest } from '../../maintenance/import/import-request.ts';
import type { Problem } from '../../messages/message.ts';
import { type Members, readBody } from '../../query-api/input.ts';
import type { Checked } from '../../query-api/query.ts';
import type { AdminCall } from '../answers.ts';

/** Whoever can open the socket owns these files anyway. */
const LOCAL = ['report', 'state', 'restart'] as const;

/** The file and how it is read. */
export function readSource(call: AdminCall): Checked<ImportRequest> {
  return readWith('POST /v1/admin/imports/preview', call);
}

export function readImport(call: AdminCall): Checked<ImportRequest> {
  return readWith('POST /v1/admin/imports', call);
}

function readWith(
  name: 'POST /v1/admin/imports' | 'POST /v1/admin/imports/preview',
  call: AdminCall,
): Checked<ImportRequest> {
  const read = readBody(name, call, (members) => {
    const problems = problemsIn(members, call.isLocal);
    return problems.length > 0 ? { ok: false, problems } : { ok: true };
  });
  return read.ok ? { ok: true, value: requestOf(read.value.body, call.isLocal) } : read;
}

function problemsIn({ file = null, path = null, ...members }: Members, isLocal: boolean): readonly Problem[] {
  const foreign = isLocal ? [] : LOCAL.filter((name) => name in members);
  return [
    ...((file === null) === (path === null) ? [{ path: '', message: 'must have exactly one of file and path' }] : []),
    ...foreign.map((name) => ({ path: `/${name}`, message: 'is known on the machine of the service alone' })),
  ];
}

function requestOf(body: Body<'POST /v1/admin/imports'>, isLocal: boolean): ImportRequest {
  const { file = null, path = null } = body;
  return {
    project: body.project,
    name: path === null ? '' : basename(path),
    file,
    path,
    anywhere: isLocal,
    host: hostname(),
    folder: `imp_${randomBytes(10).toString('hex')}`,
    type: body.type ?? null,
    format: body.format ?? null,
    delimiter: body.delimiter ?? ',',
    types: body.types ?? false,
    json_columns: body.json_columns ?? [],
    map: body.map ?? {},
    rate: body.rate ?? null,
    import_id: body.import_id ?? null,
    dry_run: body.dry_run ?? false,
    report: body.report ?? null,
    state: body.state ?? null,
    restart: body.restart ?? false,
  };
}
