import { readJson } from '../json.ts';
import { isSdkBatch, isSdkCall } from './sdk-call.ts';

/** Whether a text is a body in the form of an SDK. */
export function isSdkBody(text: string): boolean {
  const read = readJson(text);
  return read.ok && (isSdkCall(read.value.plain) || isSdkBatch(read.value.plain));
}
