/** References of an object to audiences and endpoints: ids where the stores have it, names in files. */
import { escape, unescape } from 'node:querystring';
import { withReferences } from '../../questions/saved/references.ts';
import type { Members } from '../input.ts';

export type ReferredKind = 'audience' | 'endpoint';

/** In the address of a page of the console. */
const IN_ADDRESS = /\{audience:([^{}]*)\}|aud_[0-9a-z]{20}/g;

/**
 * @param change Is given each with its kind and the pointer to it, which an id in an address does not have: it may be of what
 *   is gone.
 *   Undefined leaves it as it is, and takes it out of a list.
 */
export function withOtherReferences(
  members: Members,
  change: (reference: string, kind: ReferredKind, path?: string) => string | undefined,
): Members {
  const { audiences, endpoints, address } = members;
  const inConditions = (name: string) => ({
    [name]: withReferences(members[name], (one, path) => change(one, 'audience', `/${name}${path}`) ?? one),
  });
  const inList = (name: string, list: readonly string[], kind: ReferredKind) => ({
    [name]: list.flatMap((one, at) => change(one, kind, `/${name}/${at}`) ?? []),
  });
  const inAddress = (text: string, name?: string) => {
    const changed = name === undefined ? change(text, 'audience') : change(unescape(name), 'audience', '/address');
    if (changed === undefined) return text;
    return name === undefined ? `{audience:${escape(changed)}}` : changed;
  };
  return {
    ...members,
    ...(members['definition'] !== undefined && inConditions('definition')),
    ...(members['question'] !== undefined && inConditions('question')),
    ...(Array.isArray(audiences) && inList('audiences', audiences, 'audience')),
    ...(Array.isArray(endpoints) && inList('endpoints', endpoints, 'endpoint')),
    ...(typeof address === 'string' && { address: address.replaceAll(IN_ADDRESS, inAddress) }),
  };
}
