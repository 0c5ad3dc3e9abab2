/** Requests to operations of the OpenAPI document, whose paths, parameters, bodies and answers the compiler checks. */
import {
  type Answer,
  type Body,
  methodAndPath,
  type OperationName,
  type PathParameters,
  type Query,
  type Target,
} from '../../../schemas/operations.ts';
import type { SettleResult } from '../../maintenance/dead-letters/settle.ts';
import type { Erasure } from '../../maintenance/erasure/erase-project.ts';
import type { BuiltGeneration, Swapped } from '../../maintenance/replay/replay-commands.ts';
import type { VerificationReport } from '../../maintenance/verify/report.ts';
import type { ErrorCode } from '../../runtime/errors.ts';

export interface ServiceRequest<T = unknown> {
  readonly method: string;
  /** With its parameters. */
  readonly path: string;
  /** JSON text, or bytes. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Whether it is answered in lines: progress, and at last the result. */
  readonly streams?: boolean | undefined;
  /** What a 404 means here. */
  readonly notFound?: ErrorCode | undefined;
  /** What is answered: never there, so that only the functions below make a request. */
  readonly answers: T;
}

/** A body as it is at hand: its members that are undefined are left out. */
export type Sent<Name extends OperationName> = OrUndefined<Body<Name>>;

type OrUndefined<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

interface Sending<Name extends OperationName> extends Pick<ServiceRequest, 'notFound' | 'streams'> {
  /** As a value, as JSON text, or bytes. */
  readonly body?: Sent<Name> | string | Uint8Array<ArrayBuffer>;
}

/** For operations whose path has no parameters, nothing need be given. */
type Given<Name extends OperationName> = [PathParameters<Name>] extends [never]
  ? [given?: Target<Name> & Sending<Name>]
  : [given: Target<Name> & Sending<Name>];

export function operation<Name extends OperationName>(
  name: Name,
  ...[given]: Given<Name>
): ServiceRequest<Answer<Name>> {
  return requestOf(name, given ?? {});
}

/** What jobs come to: the last line of the stream of what the document answers with the job. */
interface JobResults {
  readonly 'POST /v1/admin/dead-letters/replay': SettleResult;
  readonly 'POST /v1/admin/dead-letters/drop': SettleResult;
  readonly 'POST /v1/admin/generations': BuiltGeneration;
  readonly 'POST /v1/admin/generations/{kind}/{number}/swap': Swapped;
  readonly 'POST /v1/admin/generations/{kind}/{number}/rollback': Swapped;
  readonly 'POST /v1/admin/generations/{kind}/{number}/drop': Pick<BuiltGeneration, 'kind' | 'number'>;
  readonly 'POST /v1/admin/verifications': VerificationReport;
  /** A project that was empty is deleted at once. */
  readonly 'DELETE /v1/admin/projects/{id}': Erasure | Answer<'DELETE /v1/admin/projects/{id}'>;
}

/** An operation whose job is awaited. */
export function job<Name extends keyof JobResults>(
  name: Name,
  ...[given]: Given<Name>
): ServiceRequest<JobResults[Name]> {
  return requestOf(name, { ...given, streams: true });
}

function requestOf<Name extends OperationName, T>(
  name: Name,
  given: { readonly path?: object | undefined; readonly query?: Query<OperationName> | undefined } & Sending<Name>,
): ServiceRequest<T> {
  const { path: parameters, query, body, streams, notFound } = given;
  const { method, path } = methodAndPath(name, parameters);
  const isSent = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const text = isSent ? body : JSON.stringify(body);
  const request: Omit<ServiceRequest, 'answers'> = {
    method,
    path: withQuery(path, query),
    body: text,
    streams,
    notFound,
  };
  return request as ServiceRequest<T>;
}

/** The path of an operation with its parameters. */
export function pathTo<Name extends OperationName>(
  name: Name,
  ...[target]: [PathParameters<Name>] extends [never] ? [target?: Target<Name>] : [target: Target<Name>]
): string {
  return withQuery(methodAndPath(name, target?.path).path, target?.query);
}

function withQuery(path: string, query: Query<OperationName> | undefined): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
