/**
 * The operations of the interface, for its clients. Paths, parameters, bodies and answers are checked by the types that
 * are made from the OpenAPI document: what the document does not have is an error of types.
 */
import type { Operations } from './openapi-types.ts';

/** `GET /v1/users/{user_id}`: a method and a path of the document. */
export type OperationName = keyof Operations;

/** The values of the path's parameters, not encoded; never where it has none. */
export type PathParameters<Name extends OperationName> = Operations[Name]['path'];

/** Parameters that are undefined are left out. A number may be given as its text. */
export type Query<Name extends OperationName> = {
  readonly [K in keyof Operations[Name]['query']]?: AsText<Operations[Name]['query'][K]> | undefined;
} & { readonly project?: string | undefined };

type AsText<Value> = [Value] extends [number | undefined] ? Value | string : Value;

/** The body that is sent, as a value. */
export type Body<Name extends OperationName> = Operations[Name]['body'];

/** What a success answers: JSON, or a line of NDJSON. */
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** Where an operation has path parameters, they must be given. */
export type Target<Name extends OperationName> = ([PathParameters<Name>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: PathParameters<Name> }) & { readonly query?: Query<Name> };

/** The method, and the path with its parameters in their places, percent-encoded. */
export function methodAndPath(
  name: OperationName,
  path: object = {},
): { readonly method: string; readonly path: string } {
  const [method = '', template = ''] = name.split(' ');
  const values: Readonly<Record<string, unknown>> = { ...path };
  return { method, path: template.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key]))) };
}
