import { useState } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { WholeDeadLetter } from '../../api/types.ts';
import { tellDone } from '../../parts/loading/change.tsx';
import { linkTo } from '../../api/address.ts';
import { projectName } from '../../api/session.ts';
import { Command, tidemarkText } from '../../parts/copy-as.tsx';
import { JsonView } from '../../parts/json/json-view.tsx';
import { counted } from '../../parts/numbers.ts';
import { Facts, LinkButton, ScreenPage } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { Empty, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { editOf, Editor, Sent, type SentEdit } from './editor.tsx';
import { PART_NAMES } from '../today/ready-parts.tsx';
import { ReplayOrDrop } from './replay-or-drop.tsx';
import { causeOf, titleOf } from './words.ts';

export function DeadLetterPage({ id }: { readonly id: string }) {
  const [sent, setSent] = useState<SentEdit>();
  const [typed, setTyped] = useState<string>();
  const asked = operation('GET /v1/admin/dead-letters/{id}', { path: { id } });
  const loaded = useAnswer(asked);
  const change = (edit?: SentEdit): void => {
    if (edit !== undefined) tellDone('Corrected message sent.');
    setSent(edit);
    setTyped(undefined);
    loaded.retry();
  };
  return (
    <ScreenPage
      title={loaded.value === undefined ? 'A dead letter' : titleOf(loaded.value)}
      beside={loaded.value && <Ago at={loaded.value.failed_at} />}
      up={{ path: 'dead-letters', name: 'Dead letters' }}
      copy={{
        request: asked,
        tidemark: ['dead-letters', 'show', id],
        also: { 'your correction': typed === undefined ? undefined : editOf(id, typed) },
        children: typed !== undefined && (
          <Command name="tidemark, your correction" text={tidemarkText(['dead-letters', 'edit', id, typed])} />
        ),
      }}
    >
      <Ready
        of={loaded}
        what="the dead letter"
        missing={
          <Empty
            title="There is no such dead letter"
            action={<LinkButton label="Show all that wait" link={linkTo(['dead-letters'])} />}
          />
        }
      >
        {(letter) => <Letter letter={letter} sent={sent} typed={typed} onType={setTyped} onChange={change} />}
      </Ready>
    </ScreenPage>
  );
}

interface LetterProps {
  readonly letter: WholeDeadLetter;
  /** What was sent on this page. */
  readonly sent: SentEdit | undefined;
  readonly typed: string | undefined;
  readonly onType: (text: string | undefined) => void;
  readonly onChange: (sent?: SentEdit) => void;
}

function Letter({ letter, sent, typed, onType, onChange }: LetterProps) {
  const isWaiting = letter.state === 'waiting' || letter.state === 'editing';
  const { record } = letter;
  return (
    <>
      {sent !== undefined && <Sent letter={letter} sent={sent} />}
      <LetterFacts letter={letter} />
      {isWaiting && (
        <>
          <Why letter={letter} />
          <ReplayOrDrop
            labels={{ replay: 'Replay as it is…', drop: 'Drop…' }}
            selection={{ ids: [letter.id] }}
            name={titleOf(letter)}
            onChange={() => onChange()}
          />
        </>
      )}
      {isWaiting && record !== null ? (
        <Editor id={letter.id} record={record} typed={typed} onType={onType} onSent={onChange} />
      ) : (
        <section aria-labelledby="value">
          <h2 id="value">{isWaiting ? 'The message' : 'The message as it was'}</h2>
          {record === null ? <Unreadable letter={letter} /> : <JsonView value={record} />}
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
              {PART_NAMES[reader] ?? reader}, <Ago at={at} />
            </p>
            <p>
              {causeOf(error).what}. {isWaiting && causeOf(error).todo}
            </p>
            <p class="id quiet small">{error}</p>
          </li>
        ))}
      </ul>
    </>
  );
}

const NOT_READABLE = <span class="quiet">not readable</span>;

function LetterFacts({ letter }: { readonly letter: WholeDeadLetter }) {
  const { state, copy, copy_of: original, project_id: of, message_id: messageId, settled_at: settledAt } = letter;
  const facts = {
    State: (
      <>
        {state === 'editing' ? 'an edit was interrupted: send it again' : state}{' '}
        {settledAt !== null && <Ago at={settledAt} />}
      </>
    ),
    'In the log': <code>{letter.id}</code>,
    'Its copy': copy !== null && <code>{copy}</code>,
    Project: of === null ? NOT_READABLE : projectName(of),
    'Message id': messageId === null ? NOT_READABLE : <code>{messageId}</code>,
    Size: original === null ? `${counted(letter.bytes)} bytes` : undefined,
    'A copy of': original !== null && (
      <a class="id" href={linkTo(['dead-letters', original])}>
        {original}
      </a>
    ),
  };
  return <Facts of={facts} look="wide-facts" />;
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
