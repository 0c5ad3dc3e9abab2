/** Keys by the names that people gave them. */
import { operation } from '../api/client.ts';
import { isAdmin, project } from '../api/session.ts';
import { useAnswer } from '../parts/loading/use-load.tsx';

export type KeyNames = ReadonlyMap<string, string>;

const query = { limit: 1_000 };

/** The names of the installation's keys and of the project's, by their ids; none without an admin key, which they need. */
export function useKeyNames(): KeyNames {
  const id = isAdmin.value ? project.value?.id : undefined;
  const admin = useAnswer(isAdmin.value ? operation('GET /v1/admin/keys', { query }) : undefined).value;
  const own = useAnswer(
    id === undefined ? undefined : operation('GET /v1/admin/projects/{id}/keys', { path: { id }, query }),
  ).value;
  const keys = [...(admin?.keys ?? []), ...(own?.keys ?? [])];
  return new Map(keys.flatMap((key) => (key.name === null ? [] : [[key.id, key.name] as const])));
}

/** Principals that are no keys. */
export const OTHERS: Readonly<Record<string, string>> = { local: 'this machine', service: 'the service' };

interface KeyNameProps {
  readonly id: string;
  /** Null for a key without a name. */
  readonly name: string | null | undefined;
}

/** Its name, with the id for whoever points at it. */
export function KeyName({ id, name }: KeyNameProps) {
  const text = OTHERS[id] ?? name ?? 'a key without a name';
  return (
    <span class={name === undefined || name === null ? 'quiet' : ''} title={id}>
      {text}
    </span>
  );
}
