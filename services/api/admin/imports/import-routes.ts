import type { RouteSet } from '../../../http/route.ts';
import { route } from '../../input.ts';
import { ADMIN, ADMIN_BODY } from '../answers.ts';
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

const UPLOAD = { ...ADMIN, streamsBody: true };

/** What operators import over HTTP. */
export function importRoutes(parts: ImportParts): RouteSet {
  return {
    routes: [
      route('GET /v1/admin/imports', ADMIN, (_, { query }) => answerImports(parts, query)),
      route('POST /v1/admin/imports', ADMIN_BODY, (call) => answerNewImport(parts, call)),
      route('POST /v1/admin/imports/preview', ADMIN_BODY, (call) => answerPreview(parts, call)),
      route('POST /v1/admin/imports/files', UPLOAD, (call, input) => answerUpload(parts, call, input)),
      route('GET /v1/admin/imports/files/{id}', ADMIN, (call) => answerFile(parts, call)),
      route('PATCH /v1/admin/imports/files/{id}', UPLOAD, (call, input) => answerUploadedPart(parts, call, input)),
      route('DELETE /v1/admin/imports/files/{id}', ADMIN, (call) => answerFileRemoval(parts, call)),
      route('GET /v1/admin/imports/{id}', ADMIN, (call, input) => answerImport(parts, call, input)),
      route('GET /v1/admin/imports/{id}/refused', ADMIN, (call, input) => answerRejectedLines(parts, call, input)),
      route('POST /v1/admin/imports/{id}/resume', ADMIN, (call) => answerResume(parts, call)),
    ],
  };
}
