/** One message of the stream, beside the list: where it has got to, and what is in it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LiveRow } from '../../api/types.ts';
import { Facts } from '../../parts/facts.tsx';
import { UserCell } from '../../parts/user-cell.tsx';
import { JsonView } from '../../parts/json/json-view.tsx';
import { exactTime } from '../../parts/time.tsx';
import { useEscape } from '../../parts/keyboard.ts';
import { ReceiptSteps } from '../receipt-steps.tsx';
import { userLink } from '../user-link.ts';
import { ChangedTraits } from './changed-traits.tsx';

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
export function MessageContent({ row }: { readonly row: LiveRow }) {
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
      {row.adjusted !== undefined && <Adjusted adjusted={row.adjusted} />}
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

/** What of an SDK's call could not be used. */
function Adjusted({ adjusted }: { readonly adjusted: NonNullable<LiveRow['adjusted']> }) {
  return (
    <div class="notice">
      Some fields could not be used as sent. They were corrected or left out:
      <ul>
        {adjusted.map(({ path, message }) => (
          <li key={path + message}>
            <code>{path}</code> {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
