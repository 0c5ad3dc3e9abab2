/**
 * The operations of the interface, for its clients: what each takes and answers, by the types generated from the OpenAPI
 * document. A path, a parameter or a member that the document does not have is an error of types.
 */
import type { paths } from './openapi-types.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `GET /v1/users/{user_id}`: a method and a path of the document. */
export type OperationName = {
  [P in keyof paths]: { [M in Method]: paths[P][M] extends object ? `${Uppercase<M>} ${P}` : never }[Method];
}[keyof paths];

type OperationOf<Name extends OperationName> = Name extends `${infer M} ${infer P extends keyof paths}`
  ? paths[P][Lowercase<M> & Method]
  : never;

type ParametersOf<Name extends OperationName, In extends string> =
  OperationOf<Name> extends { readonly parameters: { readonly [K in In]?: infer Given } } ? NonNullable<Given> : never;

/** The values of the path's parameters, not encoded; never where it has none. */
export type PathParameters<Name extends OperationName> = ParametersOf<Name, 'path'>;

/** The parameters of the query as the service reads them: one that has a default is there. */
export type QueryParameters<Name extends OperationName> = ParametersOf<Name, 'query'>;

/** Parameters that are undefined are left out. A number may be given as its text. */
export type Query<Name extends OperationName> = {
  readonly [K in keyof ParametersOf<Name, 'query'>]?: AsText<ParametersOf<Name, 'query'>[K]> | undefined;
} & { readonly project?: string | undefined };

type AsText<Value> = [Value] extends [number | undefined] ? Value | string : Value;

/** The body that is sent, as a value. */
export type Body<Name extends OperationName> =
  OperationOf<Name> extends { readonly requestBody?: infer Sent } ? ContentOf<NonNullable<Sent>> : never;

/** What a success answers: JSON, or a line of NDJSON. */
export type Answer<Name extends OperationName> =
  OperationOf<Name> extends { readonly responses: infer Responses }
    ? ContentOf<Responses[keyof Responses & (200 | 201 | 202)]>
    : never;

type ContentOf<Message> = Message extends { readonly content: infer Content }
  ? Content[keyof Content & ('application/json' | 'application/x-ndjson')]
  : never;

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
