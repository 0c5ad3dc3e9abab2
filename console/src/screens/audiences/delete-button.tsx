import { useState } from 'preact/hooks';
import type { SavedAudience } from '../../api/types.ts';
import { countOf } from '../../api/json.ts';
import { operation } from '../../../../schemas/operations.ts';
import { goTo, linkTo } from '../../frame/router.ts';
import { ConfirmName } from '../../parts/confirm-name.tsx';
import { count } from '../../parts/numbers.ts';
import { changeAudience } from './change-audience.ts';

export function DeleteButton({ audience }: { readonly audience: SavedAudience }) {
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await changeAudience(audience, operation('DELETE /v1/audiences/{id}', { path: { id: audience.id } }));
    goTo(linkTo(['audiences']));
  };
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && (
        <ConfirmName
          title="Delete this audience?"
          name={audience.name}
          action="Delete the audience"
          onConfirm={remove}
          onClose={() => setAsked(false)}
        >
          <p>
            {whoIsIn(audience)} Its definition, its versions, and who entered and left it, are deleted and cannot be
            brought back. Whatever asks for its members or its changes gets no answer any more.
          </p>
        </ConfirmName>
      )}
    </>
  );
}

function whoIsIn({ evaluation }: SavedAudience): string {
  if (evaluation === null) return 'It has not been counted.';
  const members = countOf(evaluation.members);
  return `${count(members)} ${members === 1 ? 'user is in it, who stays as it is' : 'users are in it, who stay as they are'}.`;
}
