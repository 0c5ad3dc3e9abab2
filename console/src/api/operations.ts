/** Requests to operations of the OpenAPI document, whose paths, parameters, bodies and answers the compiler checks. */
import type { Body, OperationName, PathParameters, Target } from '../../../schemas/operations.ts';
import { methodAndPath } from '../../../schemas/operations.ts';
import type { Answer, Raw } from './answer.ts';
import type { Query, Request } from './client.ts';

/** A request whose answer is known. */
export interface Operation<T> extends Request {
  /** What is answered: never there, so that only `operation` makes a request. */
  readonly answers: T;
}

interface Sending<Name extends OperationName> extends Pick<Request, 'headers' | 'takes'> {
  /** As a value; as JSON text where people wrote it, who may be wrong; or the bytes of a file. */
  readonly body?: Raw<Body<Name>> | Body<Name> | string | Blob | undefined;
}

/** For operations whose path has no parameters, nothing need be given. */
type Given<Name extends OperationName> = [PathParameters<Name>] extends [never]
  ? [given?: Target<Name> & Sending<Name>]
  : [given: Target<Name> & Sending<Name>];

export function operation<Name extends OperationName>(name: Name, ...[given]: Given<Name>): Operation<Answer<Name>> {
  const { path: parameters, query }: { path?: object | undefined; query?: Query } = given ?? {};
  const { body, headers, takes }: Sending<Name> = given ?? {};
  const { method, path } = methodAndPath(name, parameters);
  const isSent = body === undefined || typeof body === 'string' || body instanceof Blob;
  const text = isSent ? body : JSON.stringify(body);
  const request: Request = {
    method: method as NonNullable<Request['method']>,
    // Below the service's address.
    path: path.slice(1),
    query: query ?? {},
    ...(text !== undefined && { body: text }),
    ...(headers !== undefined && { headers }),
    ...(takes !== undefined && { takes }),
  };
  return request as Operation<Answer<Name>>;
}
