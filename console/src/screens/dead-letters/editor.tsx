import { useState } from 'preact/hooks';
import { type ApiError, ask, refusalIn } from '../../api/client.ts';
import { jsonText } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { EditedDeadLetter, WholeDeadLetter } from '../../api/types.ts';
import { TextDiff } from '../../parts/json/json-diff.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { Section } from '../../parts/page.tsx';
import { Button } from '../../parts/form.tsx';

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

type Answered = { readonly of: string } & ({ readonly answer: EditedDeadLetter } | { readonly error: ApiError });

export function editOf(id: string, body: string, isDry = false) {
  const query = { dry_run: isDry || undefined };
  return operation('POST /v1/admin/dead-letters/{id}/edit', { path: { id }, query, body });
}

/** What is sent, and the newest answer to it. */
function useEdit(id: string, text: string, onSent: EditorProps['onSent']) {
  const [answered, setAnswered] = useState<Answered>();
  const [isAsking, setAsking] = useState(false);
  const send = async (isDry: boolean): Promise<void> => {
    setAsking(true);
    try {
      const answer = await ask(editOf(id, text, isDry));
      if (isDry) setAnswered({ of: text, answer });
      else onSent({ text, receipt: answer.receipt });
    } catch (error) {
      setAnswered({ of: text, error: refusalIn(error) });
    } finally {
      setAsking(false);
    }
  };
  return { send, isAsking, answered: answered?.of === text ? answered : undefined };
}

/** The message as text that can be changed, what has changed, and what the stores say of it. */
export function Editor({ id, record, typed, onType, onSent }: EditorProps) {
  const before = jsonText(record, 2);
  const text = typed ?? before;
  const { send, isAsking, answered } = useEdit(id, text, onSent);
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
        <Button label="Try it" disabled={!isChanged || isAsking} onClick={() => void send(true)} />
        <Button
          label="Send the corrected message"
          look="primary"
          disabled={!isChanged || isAsking}
          onClick={() => void send(false)}
        />
        <Button label="Reset" look="plain" disabled={!isChanged} onClick={() => onType(undefined)} />
      </div>
      <Answer answered={answered} />
    </Section>
  );
}

function Answer({ answered }: { readonly answered: Answered | undefined }) {
  const stores = answered !== undefined && 'answer' in answered ? answered.answer.stores : null;
  return (
    <div class="below" aria-live="polite">
      {answered !== undefined && 'error' in answered && <Problem error={answered.error} />}
      {stores !== null && (
        <ul class="trial">
          <StoreLine name="Profiles" answer={stores.profiles} />
          <StoreLine name="Analytics" answer={stores.analytics} />
        </ul>
      )}
    </div>
  );
}

function StoreLine({
  name,
  answer,
}: {
  readonly name: string;
  readonly answer: NonNullable<EditedDeadLetter['stores']>['profiles'];
}) {
  return (
    <li class={answer.accepts ? 'takes well' : 'denies unwell'}>
      <span class="dot" />
      <b>{name}</b>
      <span>{answer.accepts ? 'would store it.' : `would reject it: ${answer.error ?? 'it gave no reason.'}`}</span>
    </li>
  );
}
