/** Screens, audiences, events and users in one list, by a part of their names; a message by its whole id. */
import { useState } from 'preact/hooks';
import { goTo, linkTo } from '../../api/address.ts';
import { Combobox, matching } from '../../parts/combobox.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import './palette.css';
import { ApiError, ask, operation } from '../../api/client.ts';
import { useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { findUsers, pauseOfTyping } from '../find-users.ts';
import { userLink } from '../user-link.ts';

interface PaletteProps {
  /** Those of the navigation. */
  readonly screens: readonly Found[];
  readonly onClose: () => void;
}

export function Palette({ screens, onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const { found, isLoading } = useFound(text.trim(), screens);
  return (
    <Dialog title="Search" look="palette" onClose={onClose}>
      {(close) => (
        <>
          <Combobox
            label="Search"
            placeholder="Screens, audiences, events, users, message ids"
            isMenu
            isSearch
            value={text}
            suggestions={found.map((one) => ({ ...one, detail: [one.detail, one.kind].filter(Boolean).join(' · ') }))}
            onType={setText}
            onChoose={({ link }) => goTo(link)}
            onClose={close}
          />
          {found.length === 0 && (
            <p class="quiet" role="status">
              {isLoading ? 'Searching…' : 'Nothing was found.'}
            </p>
          )}
        </>
      )}
    </Dialog>
  );
}

interface Found {
  readonly kind: 'Screen' | 'Audience' | 'Event' | 'User' | 'Message';
  readonly name: string;
  /** What tells it from another of this name. */
  readonly detail?: string;
  readonly link: string;
}

const MOST_OF_A_KIND = 6;

/** Those that begin with the text come before those that have it within. */
function useFound(text: string, screens: readonly Found[]) {
  const audiences = useAnswer(operation('GET /v1/audiences', { query: { limit: 100 } }));
  const events = useAnswer(operation('GET /v1/catalog/events', { query: { limit: 1_000 } }));
  const users = useLoad(text, async (signal) => findPeople(text, signal));
  const named: readonly (readonly Found[])[] = [
    screens,
    (audiences.value?.audiences ?? []).map(({ id, name }) => ({
      kind: 'Audience',
      name,
      link: linkTo(['audiences', id]),
    })),
    (events.value?.events ?? []).map(({ name }) => ({ kind: 'Event', name, link: linkTo(['events', name]) })),
  ];
  const isLoading = [audiences, events, users].some(({ value, error }) => value === undefined && error === undefined);
  const found = named.flatMap((all) => matching(all, text, MOST_OF_A_KIND));
  const isStart = ({ name }: Found): boolean => name.toLowerCase().startsWith(text.toLowerCase());
  const others = found.filter((one) => !isStart(one));
  return { found: [...found.filter(isStart), ...(users.value ?? []), ...others], isLoading };
}

/** None before anything is typed. @throws ApiError; the reason of the signal. */
async function findPeople(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  if (text === '') return [];
  await pauseOfTyping(signal);
  const [messages, users] = await Promise.all([findMessage(text, signal), findUsers(text, signal)]);
  return [...messages, ...users.map((user) => ({ kind: 'User', ...user, link: userLink(user) }) as const)];
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
