/** The session: the key that signed in, and the project that is looked at. */
import { computed, signal } from '@preact/signals';
import { ApiError, ask, chosenProject, onSignedOut, send } from './client.ts';
import { operation } from '../../../schemas/operations.ts';
import type { Project, Session } from './types.ts';
import { address, goTo, linkTo, parameter, setParameters } from './address.ts';

/** `unknown` until the service has said; `none` before the sign-in. */
export const session = signal<Session | 'unknown' | 'none'>('unknown');
/** Why the session could not be asked for. */
export const sessionError = signal<ApiError | undefined>(undefined);

/** Whether the service has its port and opens its stores still: it is asked again until it has. */
export const isStarting = signal(false);
const START_POLL_MS = 500;

/** The session while somebody is signed in. */
export const signedIn = computed(() => (typeof session.value === 'object' ? session.value : undefined));

/** The projects that its key opens. */
export const projects = computed(() => signedIn.value?.projects ?? []);

/** The project of the key; with an admin key the one that the address names, else the first. */
export const project = computed<Project | undefined>(() => {
  const named = parameter('project');
  return projects.value.find(({ id }) => id === named) ?? projects.value[0];
});

project.subscribe((current) => {
  chosenProject.id = has('admin') ? current?.id : undefined;
});

/** Whether the key opens the whole installation. */
export const isAdmin = computed(() => has('admin'));

/** Whether the event log is on Kafka: changes of audiences may be written to a topic there. */
export const isOnKafka = computed(() => signedIn.value?.on_kafka === true);

/** The name of a project that the session knows, else its id. */
export function projectName(id: string): string {
  return projects.value.find((one) => one.id === id)?.name ?? id;
}

/** Whether the key may save, change and count audiences, and not only read them. */
export const mayChangeAudiences = computed(() => has('audiences') || has('admin'));

function has(scope: Session['scopes'][number]): boolean {
  return signedIn.value?.scopes.includes(scope) === true;
}

onSignedOut.tell = () => {
  session.value = 'none';
};

export async function loadSession(): Promise<void> {
  sessionError.value = undefined;
  try {
    session.value = (await ask(operation('GET /console/session'))).session ?? 'none';
    isStarting.value = false;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The page stays, and a secret that it shows once: whoever is signed in is so still.
    if (typeof session.peek() === 'object') return;
    isStarting.value = error.status === 503 && (await serviceStarts());
    if (isStarting.value) setTimeout(() => void loadSession(), START_POLL_MS);
    else sessionError.value = error;
  }
}

async function serviceStarts(): Promise<boolean> {
  const readiness = await ask({ ...operation('GET /readyz'), takes: [503] }).catch(() => undefined);
  return Object.values(readiness?.parts ?? {}).includes('starting');
}

/** @throws ApiError */
export async function signIn(key: string): Promise<void> {
  session.value = (await ask(operation('POST /console/session', { body: { key } }))).session ?? 'none';
}

export async function signOut(): Promise<void> {
  await send(operation('DELETE /console/session')).catch(() => undefined);
  session.value = 'none';
}

/** What is looked at now belongs to another project: the screen's list is opened. What is being made stays. */
export function chooseProject(id: string): void {
  const { path } = address.peek();
  if (path.length > 1 && path[1] === 'new') setParameters({ project: id }, { push: true });
  else goTo(linkTo(path.slice(0, 1), { project: id }));
}
