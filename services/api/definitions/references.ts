/** References of an object to audiences: ids where the stores have it, names in files. */
import { escape, unescape } from 'node:querystring';
import { withReferences } from '../../questions/saved/references.ts';
import type { Members } from '../input.ts';

/** In the address of a page of the console. */
const IN_ADDRESS = /\{audience:([^{}]*)\}|aud_[0-9a-z]{20}/g;

/**
 * @param change Is given each with the pointer to it, which an id in an address does not have: it may be of what is gone.
 *   Undefined leaves it as it is, and takes it out of a list.
 */
export function withOtherReferences(
  members: Members,
  change: (reference: string, path?: string) => string | undefined,
): Members {
  const { definition, audiences, address } = members;
  const inDefinition = (one: string, path: string) => change(one, `/definition${path}`) ?? one;
  const inAddress = (text: string, name?: string) => {
    const changed = name === undefined ? change(text) : change(unescape(name), '/address');
    if (changed === undefined) return text;
    return name === undefined ? `{audience:${escape(changed)}}` : changed;
  };
  return {
    ...members,
    ...(definition !== undefined && { definition: withReferences(definition, inDefinition) }),
    ...(Array.isArray(audiences) && {
      audiences: audiences.flatMap((one: string, at) => change(one, `/audiences/${at}`) ?? []),
    }),
    ...(typeof address === 'string' && { address: address.replaceAll(IN_ADDRESS, inAddress) }),
  };
}
