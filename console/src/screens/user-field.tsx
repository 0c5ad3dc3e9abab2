import { useEffect, useRef, useState } from 'preact/hooks';
import { Combobox } from '../parts/combobox.tsx';
import { useLatest, useLoad } from '../parts/loading/use-load.tsx';
import { findUsers, type FoundUser, pauseOfTyping } from './find-users.ts';

interface UserFieldProps {
  readonly label: string;
  /** The id of the one who is chosen; '' for nobody. */
  readonly chosen: string;
  readonly onChoose: (user: FoundUser) => void;
}

/** Finds a user by name, email or id, as one types. */
export function UserField({ label, chosen, onChoose }: UserFieldProps) {
  const [shown, setShown] = useState(chosen);
  const [text, setText] = useState('');
  const wanted = text.trim();
  const loaded = useLoad(wanted === '' ? undefined : wanted, async (signal) => {
    await pauseOfTyping(signal);
    return findUsers(wanted, signal);
  });
  const { value = [] } = useLatest(loaded);
  const last = useRef(chosen);
  useEffect(() => {
    if (chosen === last.current) return;
    // Somebody else chose: the name is not known here.
    last.current = chosen;
    setShown(chosen);
  }, [chosen]);
  const choose = (user: FoundUser): void => {
    last.current = user.user_id ?? user.internal_id;
    setText('');
    setShown(user.name);
    onChoose(user);
  };
  const type = (typed: string): void => {
    setText(typed);
    setShown(typed);
  };
  return (
    <>
      <Combobox
        label={label}
        placeholder="Name, email or id"
        isSearch
        isPageSearch
        value={shown}
        suggestions={wanted === '' ? [] : value}
        onType={type}
        onChoose={choose}
      />
      {wanted !== '' && loaded.value?.length === 0 && (
        <span class="quiet" role="status">
          Nobody was found.
        </span>
      )}
    </>
  );
}
