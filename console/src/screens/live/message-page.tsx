/** The messages with an id, each with its receipt: what the search finds by an id, and a timeline links to. */
import { operation } from '../../../../schemas/operations.ts';
import { linkTo } from '../../frame/router.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { MessageContent } from './live-message.tsx';

export function MessagePage({ id }: { readonly id: string }) {
  const request = operation('GET /v1/messages/{message_id}', { path: { message_id: id } });
  const loaded = useAnswer(request);
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['live'])}>Live</a>
      </p>
      <div class="head">
        <h1 class="id">{id}</h1>
        <div class="row actions">
          <CopyAs request={request} />
        </div>
      </div>
      {loaded.state === 'loading' && <Loading what="the message" />}
      {loaded.state === 'failed' && loaded.error.status !== 404 && (
        <Problem error={loaded.error} retry={loaded.retry} />
      )}
      {loaded.state === 'failed' && loaded.error.status === 404 && (
        <Empty title="No message has this id">
          <p>A message can be found by its id some seconds after it was accepted. Capital letters count.</p>
          <button type="button" onClick={loaded.retry}>
            Look again
          </button>
        </Empty>
      )}
      {loaded.state === 'ready' &&
        loaded.value.messages.map((row) => (
          <section key={row.receipt} class="card found-message">
            <h2>{row.event ?? row.type}</h2>
            <MessageContent row={row} />
          </section>
        ))}
    </div>
  );
}
