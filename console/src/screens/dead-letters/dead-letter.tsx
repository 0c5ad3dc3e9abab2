import { useState } from 'preact/hooks';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { WholeDeadLetter } from '../../api/types.ts';
import { linkTo } from '../../frame/router.ts';
import { projectName } from '../../frame/session.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { JsonView } from '../../parts/json/json-view.tsx';
import { count } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer } from '../../parts/loading/use-load.ts';
import { Editor, type SentEdit } from './editor.tsx';
import { READERS } from './filter.ts';
import { ReplayOrDropDialog } from './replay-or-drop.tsx';
import { Sent } from './sent.tsx';

export function DeadLetterPage({ id }: { readonly id: string }) {
  const [version, setVersion] = useState(0);
  const [sent, setSent] = useState<SentEdit>();
  const asked = operation('GET /v1/admin/dead-letters/{id}', { path: { id } });
  const letter = useAnswer(asked, version);
  return (
    <div class="screen">
      <p class="up">
        <a href={linkTo(['dead-letters'])}>Dead letters</a>
      </p>
      <div class="head">
        <h1 class="id">{id}</h1>
        <div class="row actions">
          <CopyAs request={asked} tidemark={['dead-letters', 'show', id]} />
        </div>
      </div>
      {letter.state === 'loading' && <Loading what="the dead letter" />}
      {letter.state === 'failed' && letter.error.status === 404 && (
        <Empty title="There is no such dead letter">
          <p>
            <a href={linkTo(['dead-letters'])}>Show all that wait</a>
          </p>
        </Empty>
      )}
      {letter.state === 'failed' && letter.error.status !== 404 && (
        <Problem error={letter.error} retry={letter.retry} />
      )}
      {letter.state === 'ready' && (
        <Known
          letter={letter.value}
          sent={sent}
          onChange={(edit) => {
            setSent(edit);
            setVersion(version + 1);
          }}
        />
      )}
    </div>
  );
}

interface KnownProps {
  readonly letter: WholeDeadLetter;
  /** What was sent on this page. */
  readonly sent: SentEdit | undefined;
  readonly onChange: (sent?: SentEdit) => void;
}

function Known({ letter, sent, onChange }: KnownProps) {
  const isWaiting = letter.state === 'waiting' || letter.state === 'editing';
  const record = letter.record === null ? undefined : letter.record;
  return (
    <>
      {sent !== undefined && <Sent letter={letter} sent={sent} />}
      <Facts letter={letter} />
      {isWaiting && (
        <>
          <Why letter={letter} />
          <Actions letter={letter} onChange={onChange} />
        </>
      )}
      {isWaiting && record !== undefined ? (
        <Editor id={letter.id} record={record} onSent={onChange} />
      ) : (
        <section aria-labelledby="value">
          <h2 id="value">{isWaiting ? 'The message' : 'The message as it was'}</h2>
          {record === undefined ? <Unreadable letter={letter} /> : <JsonView value={record} />}
        </section>
      )}
      {!isWaiting && <Why letter={letter} />}
    </>
  );
}

function Why({ letter }: { readonly letter: WholeDeadLetter }) {
  const isWaiting = letter.state === 'waiting' || letter.state === 'editing';
  return (
    <>
      <h2 id="why" class="below">
        {isWaiting ? 'Why' : 'Why it had not been stored'}
      </h2>
      <ul class={`attempts ${isWaiting ? '' : 'past'}`} aria-labelledby="why">
        {letter.attempts.map(({ id, reader, error, failed_at: at }) => (
          <li key={id}>
            <p class="quiet small">
              {READERS[reader] ?? reader}, <Ago at={at} />
            </p>
            <p class="id">{error}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

const STATE_WORDS: Readonly<Record<string, string>> = {
  waiting: 'waits',
  editing: 'an edit was interrupted: send it again',
};

function Facts({ letter }: { readonly letter: WholeDeadLetter }) {
  const { state, copy, copy_of: original, project_id: of, message_id: messageId, settled_at: settledAt } = letter;
  return (
    <dl class="facts wide-facts">
      <div>
        <dt>State</dt>
        <dd>
          {STATE_WORDS[state] ?? state} {settledAt !== null && <Ago at={settledAt} />}
          {copy !== null && (
            <>
              {', as '}
              <code>{copy}</code>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Project</dt>
        <dd>{of === null ? <span class="quiet">not readable</span> : projectName(of)}</dd>
      </div>
      <div>
        <dt>Message id</dt>
        <dd class="id">{messageId ?? <span class="quiet">not readable</span>}</dd>
      </div>
      <div>
        <dt>{original === null ? 'Size' : 'A copy of'}</dt>
        <dd>
          {original === null ? (
            `${count(countOf(letter.bytes))} bytes`
          ) : (
            <a class="id" href={linkTo(['dead-letters', original])}>
              {original}
            </a>
          )}
        </dd>
      </div>
    </dl>
  );
}

interface ActionsProps {
  readonly letter: WholeDeadLetter;
  readonly onChange: () => void;
}

function Actions({ letter: { id }, onChange }: ActionsProps) {
  const [how, setHow] = useState<'replay' | 'drop'>();
  return (
    <div class="row settling">
      <button type="button" onClick={() => setHow('replay')}>
        Replay as it is…
      </button>
      <button type="button" onClick={() => setHow('drop')}>
        Drop…
      </button>
      {how !== undefined && (
        <ReplayOrDropDialog
          how={how}
          selection={{ ids: [id] }}
          name={id}
          onClose={(isDone) => {
            setHow(undefined);
            if (isDone) onChange();
          }}
        />
      )}
    </div>
  );
}

function Unreadable({ letter }: { readonly letter: WholeDeadLetter }) {
  return (
    <>
      <p class="quiet">
        These bytes are no message of Tidemark, or their schema is not known here: there is nothing to edit. Find who
        writes to the topic, restore the schema and replay, or drop it.
      </p>
      <pre class="json" tabIndex={0} aria-label="The bytes, in base64">
        {letter.value_base64}
      </pre>
    </>
  );
}
