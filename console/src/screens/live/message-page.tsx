/** The messages with an id, each with its receipt: what the search finds by an id, and a timeline links to. */
import { operation } from '../../api/client.ts';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Empty } from '../../parts/loading/states.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Button } from '../../parts/form.tsx';
import { namesWanted } from '../../parts/user-cell.tsx';
import { receiptRequest } from '../receipt-steps.tsx';
import { MessageContent } from './live-message.tsx';

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
      copy={{ request: request, also: Object.fromEntries(receipts) }}
    >
      <Ready of={loaded} what="the message" missing={<Unknown retry={loaded.retry} />}>
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

function Unknown({ retry }: { readonly retry: () => void }) {
  const again = <Button label="Refresh" onClick={retry} />;
  return (
    <Empty title="No message has this id" action={again}>
      A message can be found a few seconds after it was accepted. Ids are case-sensitive.
    </Empty>
  );
}
