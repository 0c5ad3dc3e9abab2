/**
 * The operations of the interface, for its clients. Paths, parameters, bodies and answers are checked by the types that
 * are made from the OpenAPI document: what the document does not have is an error of types.
 */
import type { Operations } from './openapi-types.ts';

/** `GET /v1/users/{user_id}`: a method and a path of the document. */
export type OperationName = keyof Operations;

/** The values of the path's parameters, not encoded; never where it has none. */
export type PathParameters<Name extends OperationName> = Operations[Name]['path'];

/** The parameters of the query as the service reads them: one that has a default is there. */
export type QueryParameters<Name extends OperationName> = Operations[Name]['query'];

/** Parameters that are undefined are left out. A number may be given as its text. */
export type Query<Name extends OperationName> = {
  readonly [K in keyof Operations[Name]['query']]?: AsText<Operations[Name]['query'][K]> | undefined;
} & { readonly project?: string | undefined };

type AsText<Value> = [Value] extends [number | undefined] ? Value | string : Value;

/** The body that is sent, as a value. */
export type Body<Name extends OperationName> = Operations[Name]['body'];

/** A body as it is at hand: members that are undefined are left out, and a number may be its text (`JSON.rawJSON`). */
export type Sent<Name extends OperationName> = AtHand<Body<Name>>;

type AtHand<T> = unknown extends T
  ? T
  : T extends number
    ? T | { readonly rawJSON: string }
    : T extends object
      ? { readonly [K in keyof T]: AtHand<T[K]> | (object extends Pick<T, K> ? undefined : never) }
      : T;

/** What a success answers: JSON, or a line of NDJSON. */
export type Answer<Name extends OperationName> = Operations[Name]['answer'];

/** Where an operation has path parameters, they must be given. */
export type Target<Name extends OperationName> = ([PathParameters<Name>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: PathParameters<Name> }) & { readonly query?: Query<Name> };

/** A request to an operation, whose answer is known. */
export interface Operation<T = unknown> {
  readonly method: string;
  /** With its parameters: `/v1/users?limit=50`. */
  readonly path: string;
  /** JSON text, or bytes. */
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob;
  /** What is answered: never there, so that only `operation` makes a request. */
  readonly answers: T;
}

interface Sending<Name extends OperationName> {
  /** As a value; as JSON text where people wrote it, who may be wrong; or bytes. */
  readonly body?: Sent<Name> | Exclude<Operation['body'], undefined> | undefined;
}

/** For operations whose path has no parameters, nothing need be given. */
type Given<Name extends OperationName, More = object> = [PathParameters<Name>] extends [never]
  ? [given?: Target<Name> & More]
  : [given: Target<Name> & More];

/** What `operation` is given beside the name. */
export type Request<Name extends OperationName> = Given<Name, Sending<Name>>;

export function operation<Name extends OperationName>(name: Name, ...[given]: Request<Name>): Operation<Answer<Name>> {
  const { body }: Sending<Name> = given ?? {};
  const isText = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob;
  const request: Omit<Operation, 'answers'> = {
    method: name.slice(0, name.indexOf(' ')),
    path: pathTo(name, ...([given] as Given<Name>)),
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  };
  return request as Operation<Answer<Name>>;
}

/** Clients take it for a folder, also as `%2e`, and ask for another path. */
const FOLDER = /^\.\.?$/;

/** The path of an operation, its parameters in their places and percent-encoded, or in the query where no path can have them. */
export function pathTo<Name extends OperationName>(name: Name, ...[target]: Given<Name>): string {
  const { path = {}, query = {} }: { readonly path?: object | undefined; readonly query?: object } = target ?? {};
  const values: Readonly<Record<string, unknown>> = { ...path };
  const template = name.slice(name.indexOf(' ') + 1);
  const isApart = (key: string): boolean => FOLDER.test(String(values[key]));
  const place = template.replace(/\{(\w+)\}/g, (_, key: string) =>
    isApart(key) ? '-' : encodeURIComponent(String(values[key])),
  );
  const apart = Object.entries(values).filter(([key]) => isApart(key));
  const given = [...Object.entries(query).filter(([, value]) => value !== undefined), ...apart];
  const text = new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString();
  return text === '' ? place : `${place}?${text}`;
}
