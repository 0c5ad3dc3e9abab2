import { useState } from 'preact/hooks';
import { Combobox } from '../parts/combobox.tsx';
import { useLatest, useLoad } from '../parts/loading/use-load.tsx';
import { findUsers, type FoundUser, pauseOfTyping } from './find-users.ts';

interface UserFieldProps {
  /** The id of the one who is chosen; '' for nobody. */
  readonly chosen: string;
  readonly onChoose: (user: FoundUser) => void;
}

/** Finds a user by name, email or id, as one types. */
export function UserField({ chosen, onChoose }: UserFieldProps) {
  const [typed, setTyped] = useState<string>();
  const text = typed?.trim() ?? '';
  const loaded = useLoad(text === '' ? undefined : text, async (signal) => {
    await pauseOfTyping(signal);
    return findUsers(text, signal);
  });
  const { value = [] } = useLatest(loaded);
  const choose = (user: FoundUser): void => {
    setTyped(undefined);
    onChoose(user);
  };
  return (
    <div class="row">
      <Combobox
        label="User"
        placeholder="Name, email or id"
        isSearch
        isPageSearch
        value={typed ?? chosen}
        suggestions={text === '' ? [] : value}
        onType={setTyped}
        onChoose={choose}
      />
      <span role="status">{loaded.value?.length === 0 && 'Nobody was found.'}</span>
    </div>
  );
}
