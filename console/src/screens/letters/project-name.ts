import { session } from '../../frame/session.ts';

/** The name of a project that the session knows, else its id. */
export function projectName(id: string): string {
  const known = typeof session.value === 'object' ? session.value.projects : [];
  return known.find((one) => one.id === id)?.name ?? id;
}
