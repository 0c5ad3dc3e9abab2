import type { RouteSet } from '../../http/route.ts';
import { route } from '../../query-api/input.ts';
import { refusalForOperators } from '../failures.ts';
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

const READ = { scope: 'admin', style: 'problem', bodyLimitBytes: null, refusalOf: refusalForOperators } as const;
const WRITE = { ...READ, bodyLimitBytes: IMPORT_BODY_BYTES };
const UPLOAD = { ...READ, streamsBody: true };

/** What operators import over HTTP. */
export function importRoutes(parts: ImportParts): RouteSet {
  return {
    routes: [
      route('GET /v1/admin/imports', READ, (_, { query }) => answerImports(parts, query)),
      route('POST /v1/admin/imports', WRITE, (call) => answerNewImport(parts, call)),
      route('POST /v1/admin/imports/preview', WRITE, (call) => answerPreview(parts, call)),
      route('POST /v1/admin/imports/files', UPLOAD, (call, input) => answerUpload(parts, call, input)),
      route('GET /v1/admin/imports/files/{id}', READ, (call) => answerFile(parts, call)),
      route('PATCH /v1/admin/imports/files/{id}', UPLOAD, (call, input) => answerUploadedPart(parts, call, input)),
      route('DELETE /v1/admin/imports/files/{id}', READ, (call) => answerFileRemoval(parts, call)),
      route('GET /v1/admin/imports/{id}', READ, (call, input) => answerImport(parts, call, input)),
      route('GET /v1/admin/imports/{id}/refused', READ, (call, input) => answerRejectedLines(parts, call, input)),
      route('POST /v1/admin/imports/{id}/resume', READ, (call) => answerResume(parts, call)),
    ],
  };
}
