/** The kinds of what a project is defined by: a new one is an entry here, and its list in schemas/openapi/definitions.json. */
import type { Body, OperationName } from '../../../schemas/operations.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { parsedDefinition } from '../../questions/saved/references.ts';
import { mapYielding } from '../../runtime/event-loop-yielder.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { SCOPES } from '../../stores/projects/project-store.ts';
import { refreshOf } from '../audiences/audience-json.ts';
import { readRefresh, type SavedAudienceParts } from '../audiences/saved.ts';
import type { EndpointParts } from '../endpoints/endpoint-answers.ts';
import { nameOfEndpoint } from '../endpoints/endpoint-json.ts';
import type { Members } from '../input.ts';
import type { PinsAndNotesParts } from '../pins-and-notes.ts';

export type Stores = SavedAudienceParts &
  EndpointParts &
  PinsAndNotesParts &
  Pick<AdminPorts, 'projects' | 'generations'>;

interface KindOfObject {
  /** Where a body has them, and the folder of their files. */
  readonly list: keyof Body<'POST /v1/admin/projects/{id}/definitions'>;
  /** Those that a project has: members are what files say of it, but for references, which are ids. */
  readonly read: (stores: Stores, projectId: string) => Promise<readonly (Members & { readonly id: string })[]>;
  /** By which one is known; `name` where left out. */
  readonly nameOf?: (members: Members) => string;
  /** In place of members that are left out, where the document says nothing of it. Without one they stay as they are. */
  readonly defaults?: Members;
  /** What callers wrote, as the stores have it. */
  readonly tidied?: (members: Members) => Members;
  /** The members that the operations take; all where left out. */
  readonly sent?: readonly string[];
  /** The operations that do it by hand, which check it. */
  readonly create?: OperationName;
  /** Is sent the members that change. */
  readonly change?: OperationName;
  readonly delete?: OperationName;
}

export type Kind = 'settings' | 'audience' | 'endpoint' | 'key' | 'pin' | 'watch';

export const DEFINED_KINDS: Readonly<Record<Kind, KindOfObject>> = {
  settings: {
    list: 'settings',
    read: async ({ projects }, projectId) => {
      const { name: _, created_at: __, events_from: ___, ...settings } = await findProject(projects, projectId);
      return [settings];
    },
    nameOf: () => 'settings',
    change: 'PATCH /v1/admin/projects/{id}',
  },
  audience: {
    list: 'audiences',
    read: async ({ saved }, projectId) =>
      mapYielding(await saved.list(projectId, ALL), ({ id, name, note, tags, definition, ...one }) => {
        return { id, name, note, tags, refresh: refreshOf(one), definition: parsedDefinition(definition) };
      }),
    defaults: { note: '', tags: [], refresh: null },
    tidied: ({ refresh, ...members }) => {
      const read = readRefresh(refresh);
      return { ...members, refresh: read === undefined ? refresh : refreshOf({ refreshMs: null, ...read }) };
    },
    create: 'POST /v1/audiences',
    change: 'PATCH /v1/audiences/{id}',
    delete: 'DELETE /v1/audiences/{id}',
  },
  endpoint: {
    list: 'endpoints',
    read: async ({ endpoints }, projectId) =>
      (await endpoints.list(projectId)).map(
        ({ id, description, url, format, types, audiences, traits, initial, ...one }) => {
          // That it answered 410 is not what its owners want.
          const rest = { batch_size: one.batchSize, enabled: one.disabled !== 'request' };
          return { id, description, url, format, types, audiences, traits, initial, ...rest };
        },
      ),
    nameOf: ({ url, description }) => nameOfEndpoint(String(url), description as string | null),
    defaults: { description: null, audiences: null, traits: null },
    tidied: ({ url, ...members }) => ({ ...members, url: URL.parse(String(url))?.href ?? url }),
    create: 'POST /v1/endpoints',
    change: 'PATCH /v1/endpoints/{id}',
    delete: 'DELETE /v1/endpoints/{id}',
  },
  key: {
    list: 'keys',
    read: async ({ projects }, projectId) => {
      const all = (await projects.listKeys(projectId)).filter(({ revokedAtMs }) => revokedAtMs === null);
      return all.map(({ id, name, scopes }) => ({ id, name, scopes }));
    },
    // A key has its scopes for good, and is another one with others.
    nameOf: ({ name, scopes }) => `${String(name)} (${(scopes as readonly string[]).join(', ')})`,
    tidied: ({ scopes, ...members }) => {
      return { ...members, scopes: SCOPES.filter((scope) => (scopes as readonly string[]).includes(scope)) };
    },
    create: 'POST /v1/admin/projects/{id}/keys',
    delete: 'DELETE /v1/admin/keys/{id}',
  },
  pin: {
    list: 'pins',
    read: async ({ pinsAndNotes }, projectId) => {
      return (await pinsAndNotes.pins(projectId)).map((pin) => ({ id: pin.name, ...pin }));
    },
    sent: ['address'],
    create: 'PUT /v1/pins/{name}',
    change: 'PUT /v1/pins/{name}',
    delete: 'DELETE /v1/pins/{name}',
  },
  watch: {
    list: 'watches',
    read: async ({ watches }, projectId) => {
      return (await watches.list(projectId)).map(({ name, definition }) => {
        return { id: name, name, ...(parsedDefinition(definition) as Members) };
      });
    },
    defaults: { endpoints: null },
    sent: ['question', 'rule', 'endpoints'],
    create: 'PUT /v1/watches/{name}',
    change: 'PUT /v1/watches/{name}',
    delete: 'DELETE /v1/watches/{name}',
  },
};

export const KIND_NAMES = Object.keys(DEFINED_KINDS) as readonly Kind[];

/** More than a project has. */
export const ALL = 1_000_000;

export function objectNameOf(kind: Kind, members: Members): string {
  return DEFINED_KINDS[kind].nameOf?.(members) ?? String(members['name']);
}
