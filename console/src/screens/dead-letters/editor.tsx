import { useState } from 'preact/hooks';
import { type ApiError, ask, operation } from '../../api/client.ts';
import { isObject, jsonText, parseJson } from '../../api/json.ts';
import type { EditedDeadLetter, WholeDeadLetter } from '../../api/types.ts';
import { TextDiff } from '../../parts/json/json-diff.tsx';
import { Problem } from '../../parts/loading/use-load.tsx';
import { useChange } from '../../parts/loading/change.tsx';
import { Section } from '../../parts/page.tsx';
import { Button } from '../../parts/form.tsx';
import { causeOf } from './words.ts';
import { linkTo } from '../../api/address.ts';
import { ReceiptSteps } from '../receipt-steps.tsx';

interface EditorProps {
  readonly id: string;
  readonly record: NonNullable<WholeDeadLetter['record']>;
  /** The correction; undefined where nothing was typed. */
  readonly typed: string | undefined;
  readonly onType: (text: string | undefined) => void;
  /** Told the text that was sent, and its receipt. */
  readonly onSent: (sent: SentEdit) => void;
}

/** A correction that was sent. */
export interface SentEdit {
  readonly text: string;
  readonly receipt: string | null;
}

export function editOf(id: string, body: string, isDry = false) {
  const query = { dry_run: isDry || undefined };
  return operation('POST /v1/admin/dead-letters/{id}/edit', { path: { id }, query, body });
}

/** The message as text that can be changed, what has changed, and what the stores say of it. */
export function Editor({ id, record, typed, onType, onSent }: EditorProps) {
  const before = jsonText(record, 2);
  const text = typed ?? before;
  const { isBusy, error, run } = useChange();
  const [tried, setTried] = useState<{ readonly text: string; readonly stores: EditedDeadLetter['stores'] }>();
  const send = (isDry: boolean): void =>
    run(async () => {
      setTried({ text, stores: null });
      const { stores, receipt } = await ask(editOf(id, text, isDry));
      if (isDry) setTried({ text, stores });
      else onSent({ text, receipt });
    });
  const isChanged = text.trim() !== before.trim();
  return (
    <Section id="edit-title" title="The message" look="editor">
      <div class="two-columns">
        <label>
          <span class="label">Correct the message. Topic, project, message id and session cannot change.</span>
          <textarea
            spellcheck={false}
            rows={Math.min(28, Math.max(12, text.split('\n').length + 1))}
            value={text}
            onInput={(event) => onType(event.currentTarget.value)}
          />
        </label>
        <div>
          <span class="label">What changes</span>
          {isChanged ? (
            <TextDiff before={before.split('\n')} after={text.split('\n')} />
          ) : (
            <p class="nothing quiet">No changes yet.</p>
          )}
        </div>
      </div>
      <div class="row below">
        <Button label="Try it" disabled={!isChanged || isBusy} onClick={() => send(true)} />
        <Button
          label="Send the corrected message"
          look="primary"
          disabled={!isChanged || isBusy}
          onClick={() => send(false)}
        />
        <Button label="Reset" look="plain" disabled={!isChanged} onClick={() => onType(undefined)} />
      </div>
      <div class="below" aria-live="polite">
        {tried?.text === text && <Answer stores={tried.stores} error={error} />}
      </div>
    </Section>
  );
}

interface AnswerProps {
  readonly stores: EditedDeadLetter['stores'];
  readonly error: ApiError | undefined;
}

function Answer({ stores, error }: AnswerProps) {
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {stores !== null && (
        <ul class="trial">
          <StoreLine name="Profiles" answer={stores.profiles} />
          <StoreLine name="Analytics" answer={stores.analytics} />
        </ul>
      )}
    </>
  );
}

type StoreAnswer = NonNullable<EditedDeadLetter['stores']>['profiles'];

function StoreLine({ name, answer }: { readonly name: string; readonly answer: StoreAnswer }) {
  return (
    <li class={answer.accepts ? 'takes well' : 'denies unwell'}>
      <span class="dot" />
      <b>{name}</b>
      <span>{answer.accepts ? 'would store it.' : `would not store it: ${causeOf(answer.error ?? '').what}.`}</span>
    </li>
  );
}

interface SentProps {
  readonly letter: WholeDeadLetter;
  readonly sent: SentEdit;
}

/** After a correction was sent: where it has got to, whose profile it is in, and both versions of the message. */
export function Sent({ letter, sent: { text, receipt } }: SentProps) {
  const [isInProfile, setInProfile] = useState(false);
  const user = userIn(text) ?? userIn(jsonText(letter.record ?? {}));
  const project = letter.project_id ?? undefined;
  return (
    <section class="card sent" aria-labelledby="sent">
      <div role="status">
        <h2 id="sent">
          {!isInProfile && 'Sent.'}
          {isInProfile && user === undefined && 'Sent, and in the profile.'}
          {isInProfile && user !== undefined && (
            <>
              Sent, and in the profile of <a href={linkTo(['users', user], { project })}>{user}</a>.
            </>
          )}
        </h2>
      </div>
      {receipt !== null && (
        <ReceiptSteps receipt={receipt} project={project} inProfile="merged" onProjected={() => setInProfile(true)} />
      )}
      <h3>What was corrected</h3>
      <TextDiff before={jsonText(letter.record ?? {}, 2).split('\n')} after={text.split('\n')} />
    </section>
  );
}

/** The user id in a message; undefined where it has none. */
function userIn(text: string): string | undefined {
  const value = parseJson(text);
  const id = isObject(value) ? value['user_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
