/** Requests to operations of the OpenAPI document, whose paths, parameters, bodies and answers the compiler checks. */
import type { Body, OperationName, Query, Target } from '../../../schemas/operations.ts';
import { methodAndPath } from '../../../schemas/operations.ts';
import type { Answer, Raw } from './answer.ts';
import type { Request } from './client.ts';

/** A request whose answer is known. */
export interface Operation<T> extends Request {
  /** Never there: it tells the compiler what is answered. */
  readonly answers?: T;
}

interface Sending<Name extends OperationName> {
  readonly body?: Raw<Body<Name>> | Body<Name>;
}

export function operation<Name extends OperationName>(
  name: Name,
  given: Target<Name> & Sending<Name>,
): Operation<Answer<Name>> & { readonly path: string; readonly query: Query<Name>; readonly body?: string } {
  const { path: parameters, query }: Partial<Target<Name>> = given;
  const { method, path } = methodAndPath(name, parameters);
  const { body }: Sending<Name> = given;
  return {
    method: method as NonNullable<Request['method']>,
    // Below the service's address.
    path: path.slice(1),
    query: query ?? {},
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}
