import { operation } from '../../api/client.ts';
import type { SavedAudience } from '../../api/types.ts';
import { changeAudience } from './updates.ts';
import { Select } from '../../parts/choice.tsx';
import { refreshText } from './state.ts';
import { FieldError, useChange } from '../../parts/loading/change.tsx';
import { useState } from 'preact/hooks';

interface RefreshChoiceProps {
  readonly audience: SavedAudience;
  readonly onChange: () => void;
}

/** How often a saved audience is counted by itself; `manually` pauses that. */
export function RefreshChoice({ audience, onChange }: RefreshChoiceProps) {
  const { id, refresh } = audience;
  const { error, run } = useChange();
  // What was chosen stands until the audience has it, or it was refused.
  const [wanted, setWanted] = useState(refresh);
  const change = (chosen: string): void => {
    const body = { refresh: chosen === '' ? null : chosen };
    setWanted(body.refresh);
    const request = operation('PATCH /v1/audiences/{id}', { path: { id }, body });
    run(async () => changeAudience(audience, request).then(onChange));
  };
  return (
    <>
      <RefreshOptions refresh={error === undefined ? wanted : refresh} onChoose={change} />
      <FieldError error={error} />
    </>
  );
}

const CHOICES = ['live', '5m', '15m', '1h', '6h', '1d', '1w'];

interface RefreshOptionsProps {
  readonly refresh: string | null;
  /** Before each of them. */
  readonly verb?: string;
  readonly onChoose: (refresh: string) => void;
}

export function RefreshOptions({ refresh, verb = '', onChoose }: RefreshOptionsProps) {
  const choices = refresh === null || CHOICES.includes(refresh) ? CHOICES : [refresh, ...CHOICES];
  const options = [...choices, ''].map((choice) => [choice, verb + refreshText(choice || null)] as const);
  return <Select label="Updates" value={refresh ?? ''} options={options} onChoice={onChoose} />;
}
