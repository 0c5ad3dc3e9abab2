import type { SavedAudience } from '../../api/audiences.ts';
import { countOf } from '../../api/json.ts';
import { goTo, linkTo } from '../../frame/router.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { count } from '../../parts/numbers.ts';
import { changeAudience } from './change-audience.ts';

export function DeleteButton({ audience }: { readonly audience: SavedAudience }) {
  const remove = async (): Promise<void> => {
    await changeAudience(audience, { method: 'DELETE' });
    goTo(linkTo(['audiences']));
  };
  return (
    <Confirm label="Delete…" title="Delete this audience?" name={audience.name} does="Delete the audience" run={remove}>
      {whoIsIn(audience)} Its definition, its versions, and who entered and left it, are deleted and cannot be brought
      back. Whatever asks for its members or its changes gets no answer any more.
    </Confirm>
  );
}

function whoIsIn({ evaluation }: SavedAudience): string {
  if (evaluation === null) return 'It has not been counted.';
  const members = countOf(evaluation.members);
  return `${count(members)} ${members === 1 ? 'user is in it, who stays as it is' : 'users are in it, who stay as they are'}.`;
}
