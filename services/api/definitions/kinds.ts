/** The kinds of what a project is defined by: a new one is an entry here, and its list in schemas/openapi/definitions.json. */
import type { Body } from '../../../schemas/operations.ts';
import type { Call } from '../../http/call.ts';
import type { Refusal } from '../../http/problems.ts';
import type { Answer } from '../../http/route.ts';
import { parseBody } from '../../messages/json.ts';
import type { AdminPorts } from '../../operations/ports.ts';
import { mapYielding } from '../../runtime/event-loop-yielder.ts';
import { findProject } from '../../stores/projects/project-commands.ts';
import { SCOPES } from '../../stores/projects/project-store.ts';
import { answerNewProjectKey, answerProjectChange, answerRevokedKey } from '../admin/projects.ts';
import { LIVE, parseRefresh, refreshOf } from '../audiences/audience-json.ts';
import { answerChange, answerDelete, answerSave, type SavedAudienceParts } from '../audiences/saved.ts';
import {
  answerEndpointChange,
  answerEndpointDelete,
  answerNewEndpoint,
  type EndpointParts,
} from '../endpoints/endpoint-answers.ts';
import { nameOfEndpoint } from '../endpoints/endpoint-json.ts';
import { answerUnwatched, answerWatch, type WatchRouteParts } from '../endpoints/watches.ts';
import type { Members } from '../input.ts';
import { answerPin, answerUnpin, type PinsAndNotesParts } from '../pins-and-notes.ts';

export interface Stores
  extends
    SavedAudienceParts,
    EndpointParts,
    WatchRouteParts,
    PinsAndNotesParts,
    Pick<AdminPorts, 'projects' | 'generations'> {}

interface Input {
  readonly path: { readonly id: string; readonly name: string };
  readonly query: object;
}

/** The operation that does it by hand, which checks it. */
type Operation = (stores: Stores, call: Call, input: Input) => Promise<Answer | Refusal>;

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
  readonly create?: Operation;
  /** Is sent the members that change. */
  readonly change?: Operation;
  readonly delete?: Operation;
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
    change: answerProjectChange,
  },
  audience: {
    list: 'audiences',
    read: async ({ saved }, projectId) =>
      mapYielding(await saved.list(projectId, ALL), ({ id, name, note, tags, definition, ...one }) => {
        return { id, name, note, tags, refresh: refreshOf(one), definition: exactOf(definition) };
      }),
    defaults: { note: '', tags: [], refresh: null },
    tidied: ({ refresh, ...members }) => {
      const ms = typeof refresh === 'string' ? parseRefresh(refresh) : undefined;
      const kept = ms === undefined ? refresh : refreshOf({ refreshMs: ms === LIVE ? null : ms, isLive: ms === LIVE });
      return { ...members, refresh: kept };
    },
    create: answerSave,
    change: (stores, call) => answerChange(stores, call, 'PATCH /v1/audiences/{id}'),
    delete: answerDelete,
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
    create: answerNewEndpoint,
    change: answerEndpointChange,
    delete: answerEndpointDelete,
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
    create: ({ projects }, call) => answerNewProjectKey(projects, call),
    delete: ({ projects }, call) => answerRevokedKey(projects, call),
  },
  pin: {
    list: 'pins',
    read: async ({ pinsAndNotes }, projectId) => {
      return (await pinsAndNotes.pins(projectId)).map((pin) => ({ id: pin.name, ...pin }));
    },
    sent: ['address'],
    create: savePin,
    change: savePin,
    delete: ({ pinsAndNotes }, call, { path: { name } }) => answerUnpin(pinsAndNotes, call, name),
  },
  watch: {
    list: 'watches',
    read: async ({ watches }, projectId) => {
      return (await watches.list(projectId)).map(({ name, definition }) => {
        return { id: name, name, ...(exactOf(definition) as Members) };
      });
    },
    defaults: { endpoints: null },
    sent: ['question', 'rule', 'endpoints'],
    create: saveWatch,
    change: saveWatch,
    delete: ({ watches }, call, { path: { name } }) => answerUnwatched(watches, call, name),
  },
};

export const KIND_NAMES = Object.keys(DEFINED_KINDS) as readonly Kind[];

/** More than a project has. */
export const ALL = 1_000_000;

function exactOf(json: string): unknown {
  const parsed = parseBody(json);
  return parsed.ok ? parsed.value.exact : {};
}

export function objectNameOf(kind: Kind, members: Members): string {
  return DEFINED_KINDS[kind].nameOf?.(members) ?? String(members['name']);
}

function saveWatch(stores: Stores, call: Call, { path: { name } }: Input) {
  return answerWatch(stores, call, name);
}

function savePin({ pinsAndNotes }: Stores, call: Call, { path: { name } }: Input) {
  return answerPin(pinsAndNotes, call, name);
}
