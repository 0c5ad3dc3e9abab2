import type { Answer as Documented, OperationName } from '../../../schemas/operations.ts';
import type { Json, RawNumber } from './json.ts';

/** The answer of an operation (`GET /v1/users`) as `ask` reads it: every number as its text. */
export type Answer<Name extends OperationName> = Raw<Documented<Name>>;

export type Raw<T> = unknown extends T
  ? Json
  : T extends number
    ? RawNumber
    : T extends object
      ? { readonly [K in keyof T]: Raw<T[K]> }
      : T;
