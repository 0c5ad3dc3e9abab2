import { useState } from 'preact/hooks';
import { isObject, jsonText, parseJson } from '../../api/json.ts';
import type { WholeDeadLetter } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { TextDiff } from '../../parts/json/json-diff.tsx';
import { ReceiptSteps } from '../receipt-steps.tsx';
import type { SentEdit } from './editor.tsx';

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
