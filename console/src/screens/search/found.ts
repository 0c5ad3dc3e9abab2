/** What a text finds, each with the link to it. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import { linkTo } from '../../frame/router.ts';
import { openScreens } from '../../frame/screens.ts';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { displayName } from '../../parts/user-cell.tsx';
import { userLink } from '../user-link.ts';

export interface Found {
  readonly kind: 'Screen' | 'Audience' | 'Event' | 'User' | 'Message';
  readonly name: string;
  readonly link: string;
}

const MOST_OF_A_KIND = 6;
/** Users are asked for when nothing was typed for this time. */
const PAUSE_MS = 200;

/** Those that begin with the text come before those that have it within. */
export function useFound(text: string): { readonly found: readonly Found[]; readonly isLoading: boolean } {
  const audiences = useAnswer(operation('GET /v1/audiences', { query: { limit: 100 } }));
  const events = useAnswer(operation('GET /v1/catalog/events', { query: { limit: 1_000 } }));
  const users = useUsers(text);
  const named = [
    openScreens.value.map(({ name, path }): Found => ({ kind: 'Screen', name, link: linkTo([path]) })),
    (audiences.state === 'ready' ? audiences.value.audiences : []).map(({ id, name }): Found => ({
      kind: 'Audience',
      name,
      link: linkTo(['audiences', id]),
    })),
    (events.state === 'ready' ? events.value.events : []).map(({ name }): Found => ({
      kind: 'Event',
      name,
      link: linkTo(['events', name]),
    })),
  ];
  const isLoading = audiences.state === 'loading' || events.state === 'loading' || users === undefined;
  const wanted = text.toLowerCase();
  const isStart = ({ name }: Found): boolean => name.toLowerCase().startsWith(wanted);
  const found = named.flatMap((all) => matching(all, wanted, isStart));
  return { found: [...found.filter(isStart), ...(users ?? []), ...found.filter((one) => !isStart(one))], isLoading };
}

function matching(all: readonly Found[], wanted: string, isStart: (one: Found) => boolean): readonly Found[] {
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  return [...found.filter(isStart), ...found.filter((one) => !isStart(one))].slice(0, MOST_OF_A_KIND);
}

/** Undefined until they are there; none before anything is typed. */
function useUsers(text: string): readonly Found[] | undefined {
  const [answered, setAnswered] = useState<{ readonly of: string; readonly users: readonly Found[] }>();
  useEffect(() => {
    if (text === '') return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => {
      Promise.all([findMessage(text, signal), findUsers(text, signal)]).then(
        (found) => setAnswered({ of: text, users: found.flat() }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof ApiError)) throw error;
          setAnswered({ of: text, users: [] });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  if (text === '') return [];
  return answered?.of === text ? answered.users : undefined;
}

/** The one place that asks for users by what people type of them. @throws ApiError; the reason of the signal. */
async function findUsers(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const request = operation('GET /v1/users', { query: { search: text, limit: MOST_OF_A_KIND } });
  const { users } = await ask({ ...request, signal });
  return users.map((user) => {
    const id = user.user_id ?? user.internal_id;
    const name = displayName(user);
    return { kind: 'User', name: name === undefined ? id : `${name} (${id})`, link: userLink(user) };
  });
}

/** As ids of messages are: long, with a digit, and without spaces. Anything else is not looked for. */
const MESSAGE_ID = /^(?=.*\d)\S{8,128}$/;

/** A message with this id. @throws ApiError; the reason of the signal. */
async function findMessage(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  if (!MESSAGE_ID.test(text)) return [];
  const request = operation('GET /v1/messages/{message_id}', { path: { message_id: text } });
  try {
    const [first] = (await ask({ ...request, signal })).messages;
    const name = first === undefined ? text : `${first.event ?? first.type} (${text})`;
    return [{ kind: 'Message', name, link: linkTo(['live'], { message: text }) }];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return [];
    throw error;
  }
}
