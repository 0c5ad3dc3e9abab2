/** What a project is defined by: its objects with others by their names, as files have them. */
import type { Answer } from '../../http/route.ts';
import { toJsonText } from '../../messages/json.ts';
import { mapYielding } from '../../runtime/event-loop-yielder.ts';
import type { Members } from '../input.ts';
import { type Kind, KIND_NAMES, DEFINED_KINDS, objectNameOf, type Stores } from './kinds.ts';
import { withOtherReferences } from './references.ts';

/** An object that a project has. Members are what files say of it, their numbers with every digit. */
export interface Defined {
  readonly kind: Kind;
  /** The id of a key that has no name. */
  readonly name: string;
  readonly id: string;
  readonly members: Members;
}

/** Kind by kind, by name, without keys that were revoked. @throws TidemarkError `PROJECT_UNKNOWN`. */
export async function definedIn(stores: Stores, projectId: string): Promise<readonly Defined[]> {
  const all: Defined[] = [];
  for (const kind of KIND_NAMES) {
    const defined = (await DEFINED_KINDS[kind].read(stores, projectId)).map(({ id, ...members }) => {
      return { kind, id, name: members['name'] === null ? id : objectNameOf(kind, members), members };
    });
    all.push(...defined.toSorted((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name))));
  }
  const names = new Map(all.map(({ kind, id, name }) => [`${kind} ${id}`, name]));
  const nameOf = (id: string, kind: Kind): string | undefined => names.get(`${kind} ${id}`);
  return mapYielding(all, (one) => ({ ...one, members: withOtherReferences(one.members, nameOf) }));
}

export async function exported(stores: Stores, projectId: string): Promise<Answer> {
  const all = await definedIn(stores, projectId);
  // One without a name cannot be called, and two keys of one name and the same scopes are as good as one.
  const named = all.filter(({ kind, name, members }, at) => {
    return members['name'] !== null && (kind !== 'key' || all[at - 1]?.name !== name);
  });
  const lists = KIND_NAMES.map((kind) => {
    const members = named.flatMap((one) => (one.kind === kind ? [one.members] : []));
    return [DEFINED_KINDS[kind].list, kind === 'settings' ? members[0] : members] as const;
  });
  return { status: 200, body: toJsonText(Object.fromEntries(lists)) };
}
