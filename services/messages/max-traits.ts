import definitions from '../../schemas/http/definitions.json' with { type: 'json' };

/**
 * A message sets at most so many traits, and a profile keeps at most so many: the newest, deletions included. The
 * published schema says it, so that callers and code have one number.
 */
export const MAX_TRAITS = definitions.$defs.traits.maxProperties;
