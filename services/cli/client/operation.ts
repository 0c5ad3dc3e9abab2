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
  const { path: parameters, query }: Partial<Target<Name>> = given ?? {};
  const { body, streams, notFound }: Sending<Name> = given ?? {};
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
  return request as ServiceRequest<Answer<Name>>;
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
