/** One call of an SDK, in the words that all of them share. */
export interface Call {
  readonly type: 'identify' | 'track' | 'page' | 'screen' | 'group' | 'alias';
  readonly timestamp: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  readonly groupId?: string;
  readonly event?: string;
  readonly name?: string;
  readonly category?: string;
  readonly traits?: JsonObject;
  readonly properties?: JsonObject;
  readonly context?: JsonObject;
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}
