/** One message of the stream, beside the list: where it has got to, and what is in it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { GivenValue, LiveRow } from '../../api/types.ts';
import { namesWanted, UserCell } from '../../parts/user-cell.tsx';
import { JsonValue, JsonView } from '../../parts/json/json-view.tsx';
import { exactTime } from '../../parts/time.tsx';
import { useEscape } from '../../parts/keyboard.ts';
import { receiptRequest, ReceiptSteps } from '../receipt-steps.tsx';
import { traitHistoryRequest, userLink } from '../user-link.ts';
import { ask, operation } from '../../api/client.ts';
import { Empty, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { Button } from '../../parts/form.tsx';
import { Facts, ScreenPage } from '../../parts/page.tsx';

export function LiveMessage({ row, onClose }: { readonly row: LiveRow; readonly onClose: () => void }) {
  const panel = useRef<HTMLElement>(null);
  const cameFrom = useRef(document.activeElement);
  const close = (): void => {
    onClose();
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
  };
  useEscape(close);
  useLayoutEffect(() => panel.current?.focus(), []);
  return (
    <aside class="panel" aria-label="Message" tabIndex={-1} ref={panel}>
      <div class="head">
        <h2>{row.event ?? row.type}</h2>
        <button type="button" class="plain" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <MessageContent row={row} />
    </aside>
  );
}

/** Where a message has got to, whose it is, what it changed and what is in it. */
function MessageContent({ row }: { readonly row: LiveRow }) {
  const [isQueryable, setQueryable] = useState(row.receipt === undefined);
  return (
    <>
      {row.receipt !== undefined && (
        <ReceiptSteps
          receipt={row.receipt}
          inProfile={row.type === 'track' ? 'counted' : 'traits merged'}
          onQueryable={() => setQueryable(true)}
        />
      )}
      <MessageFacts row={row} />
      {row.adjusted !== undefined && (
        <div class="notice">
          Some fields could not be used as sent. They were corrected or left out:
          <ul>
            {row.adjusted.map(({ path, message }) => (
              <li key={path + message}>
                <code>{path}</code> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isQueryable && row.traits !== undefined && <ChangedTraits row={row} />}
      <h3>{row.type === 'track' ? 'Properties' : 'Traits'}</h3>
      {row.cut === true ? (
        <p class="notice">Too long to show here. The user's page has everything.</p>
      ) : (
        <JsonView value={row.properties ?? row.traits ?? {}} />
      )}
    </>
  );
}

function MessageFacts({ row }: { readonly row: LiveRow }) {
  const { topic, partition, offset } = row.log;
  const facts = {
    User: (
      <a href={userLink(row)}>
        <UserCell user={{ ...row, traits: row.user_traits ?? {} }} />
      </a>
    ),
    Happened: exactTime(row.timestamp),
    Received: exactTime(row.received_at),
    'Message id': <code>{row.message_id}</code>,
    'In the log': <code>{`${topic}, partition ${partition.rawJSON}, offset ${offset}`}</code>,
  };
  return <Facts of={facts} />;
}

/** For each one question is asked. */
const MOST_TRAITS = 8;

interface ChangedTrait {
  readonly trait: string;
  readonly given: GivenValue | undefined;
  /** The newest one older than it that the trait had. */
  readonly before: GivenValue | undefined;
}

/** @param row A message that both stores have: earlier, its values are missing. */
function ChangedTraits({ row }: { readonly row: LiveRow }) {
  const traits = Object.keys(row.traits ?? {});
  const loaded = useLoad(row.message_id, async (signal) =>
    Promise.all(traits.slice(0, MOST_TRAITS).map(async (trait) => changeOf(row, trait, signal))),
  );
  if (traits.length === 0) return null;
  return (
    <>
      <h3>What it changed</h3>
      <Ready of={loaded} what="the values before">
        {(changes) => (
          <Facts
            look="changed-traits"
            of={Object.fromEntries(changes.map((changed) => [changed.trait, <ChangedValue key="" {...changed} />]))}
          />
        )}
      </Ready>
      {traits.length > MOST_TRAITS && <p class="quiet small">The first {MOST_TRAITS} traits are shown.</p>}
    </>
  );
}

function ChangedValue({ given, before }: ChangedTrait) {
  if (given === undefined) return <span class="quiet">unknown: newer messages have arrived since</span>;
  if (given.state === 'lost') return <span class="quiet">no change: a newer value was already there</span>;
  const old = before === undefined || before.value === null ? undefined : before.value;
  if (JSON.stringify(old) === JSON.stringify(given.value))
    return <span class="quiet">no change: it had this value</span>;
  return (
    <>
      {old === undefined ? (
        <span class="quiet">{given.value === null ? 'was not there, ' : 'new: '}</span>
      ) : (
        <>
          <span class="old quiet">
            <JsonValue value={old} maxLength={60} />
          </span>
          {' → '}
        </>
      )}
      {given.value === null ? <span class="quiet">deleted</span> : <JsonValue value={given.value} maxLength={60} />}
    </>
  );
}

async function changeOf(row: LiveRow, trait: string, signal: AbortSignal): Promise<ChangedTrait> {
  const name = { id: row.user_id ?? row.internal_id, by: row.user_id === null ? 'internal_id' : 'user_id' } as const;
  const { values } = await ask({ ...traitHistoryRequest(name, trait), signal });
  const at = values.findIndex(({ message_id: id }) => id === row.message_id);
  const before = at === -1 ? undefined : values.slice(at + 1).find(({ state }) => state !== 'lost');
  return { trait, given: values[at], before };
}

/** The messages with an id, each with its receipt: what the search finds by an id, and a timeline links to. */
export function MessagePage({ id }: { readonly id: string }) {
  const request = operation('GET /v1/messages/{message_id}', {
    path: { message_id: id },
    query: { traits: namesWanted() },
  });
  const loaded = useAnswer(request);
  const messages = loaded.value?.messages ?? [];
  const receipts = messages.map(({ receipt }, i) => [`receipt ${i + 1}`, receiptRequest(receipt)] as const);
  return (
    <ScreenPage
      title={<span class="id">{id}</span>}
      up={{ path: 'live', name: 'Live' }}
      copy={{ request, also: Object.fromEntries(receipts) }}
    >
      <Ready
        of={loaded}
        what="the message"
        missing={
          <Empty title="No message has this id" action={<Button label="Refresh" onClick={loaded.retry} />}>
            A message can be found a few seconds after it was accepted. Ids are case-sensitive.
          </Empty>
        }
      >
        {() =>
          messages.map((row) => (
            <section key={row.receipt} class="card narrow">
              <h2>{row.event ?? row.type}</h2>
              <MessageContent row={row} />
            </section>
          ))
        }
      </Ready>
    </ScreenPage>
  );
}
