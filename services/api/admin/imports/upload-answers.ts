import { hostname } from 'node:os';
import { expectsContinue } from '../../../http/access/admission.ts';
import type { Call } from '../../../http/call.ts';
import type { Refusal } from '../../../http/problems.ts';
import type { Answer } from '../../../http/route.ts';
import type { Input } from '../../input.ts';
import { refuseParameter } from '../../query.ts';
import { notFound } from '../answers.ts';
import type { ImportParts } from './import-answers.ts';
import type { NotKept, UploadedFile } from './uploaded-files.ts';

/** `POST /v1/admin/imports/files`: the body is the file, or its beginning. */
export async function answerUpload(
  { files, takesFiles }: ImportParts,
  call: Call,
  { query: { name = 'upload' } }: Input<'POST /v1/admin/imports/files'>,
): Promise<Answer | Refusal> {
  if (!takesFiles) return FILES_NOT_ACCEPTED;
  if (/\p{Cc}/u.test(name)) return refuseParameter('name', 'must have no control characters').refusal;
  const length = bodyLength(call);
  return uploadAnswer(files.maxBytes, 201, await files.create(name, call.req, length));
}

/** `PATCH /v1/admin/imports/files/:id`: the body is what follows the first `offset` bytes. */
export async function answerUploadedPart(
  { files, takesFiles }: ImportParts,
  call: Call,
  { path: { id }, query: { offset } }: Input<'PATCH /v1/admin/imports/files/{id}'>,
): Promise<Answer | Refusal> {
  if (!takesFiles) return FILES_NOT_ACCEPTED;
  const length = bodyLength(call);
  return uploadAnswer(files.maxBytes, 200, await files.append(id, offset, call.req, length));
}

/** `GET /v1/admin/imports/files/:id` */
export async function answerFile({ files }: ImportParts, call: Call): Promise<Answer | Refusal> {
  return uploadAnswer(files.maxBytes, 200, (await files.find(call.params['id'] ?? '')) ?? 'no-such-file');
}

/** `DELETE /v1/admin/imports/files/:id` */
export async function answerFileRemoval({ files }: ImportParts, call: Call): Promise<Answer | Refusal> {
  const found = await files.find(call.params['id'] ?? '');
  if (found === undefined) return NO_FILE;
  await files.remove(found.id);
  const audit = { action: 'import.file.delete', object: found.id, project: null };
  return { status: 200, body: JSON.stringify(found), audit };
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
      const headers = { Location: `/v1/admin/imports/files/${result.id}` };
      const body = JSON.stringify(result);
      if (status === 200) return { status, body };
      return {
        status,
        body,
        headers,
        audit: {
          action: 'import.upload',
          object: result.id,
          project: null,
          after: JSON.stringify({ name: result.name, bytes: result.bytes }),
        },
      };
    }
  }
}
