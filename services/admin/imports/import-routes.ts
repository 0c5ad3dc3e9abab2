import type { Route, RouteSet } from '../../http/route.ts';
import { refusalForOperators } from '../failures.ts';
import { VERIFICATION_PARAMETERS } from '../jobs/job-answers.ts';
import {
  answerImport,
  answerImports,
  answerNewImport,
  answerPreview,
  answerRejectedLines,
  answerResume,
  type ImportParts,
} from './import-answers.ts';
import { answerFile, answerFileRemoval, answerUpload, answerUploadedPart } from './upload-answers.ts';

const IMPORT_BODY_BYTES = 32_768;

const ADMIN = { scope: 'admin', style: 'problem', refusalOf: refusalForOperators } as const;
const GET = { ...ADMIN, method: 'GET', bodyLimitBytes: null, query: [] } as const;
const POST = { ...GET, method: 'POST', bodyLimitBytes: IMPORT_BODY_BYTES } as const;
const UPLOAD = { ...GET, streamsBody: true } as const;

/** What operators import over HTTP. */
export function importRoutes(parts: ImportParts): RouteSet {
  const all = '/v1/admin/imports';
  const one = `${all}/:id`;
  const file = `${all}/files/:id`;
  const routes: Route[] = [
    { ...GET, path: all, query: VERIFICATION_PARAMETERS, handle: (call) => answerImports(parts, call) },
    { ...POST, path: all, handle: (call) => answerNewImport(parts, call) },
    { ...POST, path: `${all}/preview`, handle: (call) => answerPreview(parts, call) },
    { ...UPLOAD, method: 'POST', path: `${all}/files`, query: ['name'], handle: (call) => answerUpload(parts, call) },
    { ...GET, path: file, handle: (call) => answerFile(parts, call) },
    { ...UPLOAD, method: 'PATCH', path: file, query: ['offset'], handle: (call) => answerUploadedPart(parts, call) },
    { ...GET, method: 'DELETE', path: file, handle: (call) => answerFileRemoval(parts, call) },
    { ...GET, path: one, query: ['wait'], handle: (call) => answerImport(parts, call) },
    { ...GET, path: `${one}/refused`, query: ['limit', 'cursor'], handle: (call) => answerRejectedLines(parts, call) },
    { ...GET, method: 'POST', path: `${one}/resume`, handle: (call) => answerResume(parts, call) },
  ];
  return { routes };
}
