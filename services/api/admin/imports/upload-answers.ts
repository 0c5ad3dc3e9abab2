import { hostname } from 'node:os';
import { expectsContinue } from '../../../http/access/admission.ts';
import type { Call } from '../../../http/call.ts';
import type { Refusal } from '../../../http/problems.ts';
import type { Answer, Route } from '../../../http/route.ts';
import { route } from '../../input.ts';
import { refuseParameter } from '../../query.ts';
import { ADMIN, notFound } from '../answers.ts';
import type { NotKept, UploadedFile, UploadedFiles } from './uploaded-files.ts';

type UploadParts = { readonly files: UploadedFiles; readonly takesFiles: boolean };

const UPLOAD = { ...ADMIN, streamsBody: true };

export function uploadRoutes(parts: UploadParts): Route[] {
  const { files } = parts;
  return [
    // The body is the file, or its beginning.
    route('POST /v1/admin/imports/files', UPLOAD, async (call, { query: { name = 'upload' } }) => {
      if (!parts.takesFiles) return FILES_NOT_ACCEPTED;
      if (/\p{Cc}/u.test(name)) return refuseParameter('name', 'must have no control characters').refusal;
      return uploadAnswer(files.maxBytes, 201, await files.create(name, call.req, bodyLength(call)));
    }),
    // The body is what follows the first `offset` bytes.
    route('PATCH /v1/admin/imports/files/{id}', UPLOAD, async (call, { path, query }) => {
      if (!parts.takesFiles) return FILES_NOT_ACCEPTED;
      return uploadAnswer(files.maxBytes, 200, await files.append(path.id, query.offset, call.req, bodyLength(call)));
    }),
    route('GET /v1/admin/imports/files/{id}', ADMIN, async (_, { path }) => {
      return uploadAnswer(files.maxBytes, 200, (await files.find(path.id)) ?? 'no-such-file');
    }),
    route('DELETE /v1/admin/imports/files/{id}', ADMIN, async (_, { path }) => {
      const found = await files.find(path.id);
      if (found === undefined) return NO_FILE;
      await files.remove(found.id);
      const audit = { action: 'import.file.delete', object: found.id, project: null };
      return { status: 200, body: JSON.stringify(found), audit };
    }),
  ];
}

const NO_FILE = notFound('There is no such uploaded file.');

const FILES_NOT_ACCEPTED: Refusal = {
  refused: 'conflict',
  detail: `Files are uploaded to the role all alone. Put the file on the machine of an ingest process (this one runs on ${hostname()}) and name its path.`,
};

/** Asks for the body where the client waits for that. Its length; NaN where the head does not say. */
function bodyLength(call: Call): number {
  if (expectsContinue(call)) call.res.writeContinue();
  return Number(call.headers['content-length']);
}

function uploadAnswer(maxBytes: number, status: 200 | 201, result: UploadedFile | NotKept): Answer | Refusal {
  switch (result) {
    case 'no-such-file':
      return NO_FILE;
    case 'wrong-offset':
      return refuseParameter('offset', 'is past the end of what has arrived of the file').refusal;
    case 'too-large':
      return {
        refused: 'too-large',
        detail: `The file is over ${maxBytes} bytes. Import it from a path, or in several files.`,
        limitBytes: maxBytes,
      };
    case 'no-room':
      return {
        refused: 'insufficient-storage',
        detail: 'The disk of the service has no room for this file. Import it from a path, or in several files.',
      };
    case 'cut-off':
      return { refused: 'malformed-request', detail: 'The body ended before its end.' };
    default: {
      const { id, name, bytes } = result;
      if (status === 200) return { status, body: JSON.stringify(result) };
      const audit = { action: 'import.upload', object: id, project: null, after: JSON.stringify({ name, bytes }) };
      return { status, body: JSON.stringify(result), headers: { Location: `/v1/admin/imports/files/${id}` }, audit };
    }
  }
}
