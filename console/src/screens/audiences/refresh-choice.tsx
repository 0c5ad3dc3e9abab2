import type { ApiError } from '../../api/client.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { SavedAudience } from '../../api/types.ts';
import { changeAudience } from './change-audience.ts';
import { refreshText } from './state.ts';

const CHOICES = ['5m', '15m', '1h', '6h', '1d'];

export interface RefreshChoiceProps {
  readonly audience: SavedAudience;
  readonly onChange: (audience: SavedAudience) => void;
  readonly onError: (error: ApiError) => void;
}

/** How often it is counted by itself; `when asked` pauses that. */
export function RefreshChoice({ audience, onChange, onError }: RefreshChoiceProps) {
  const { id, refresh } = audience;
  const choices = refresh === null || CHOICES.includes(refresh) ? CHOICES : [refresh, ...CHOICES];
  const change = (chosen: string): void => {
    const body = { refresh: chosen === '' ? null : chosen };
    void changeAudience(audience, operation('PATCH /v1/audiences/{id}', { path: { id }, body })).then(
      onChange,
      onError,
    );
  };
  return (
    <select aria-label="Counted" value={refresh ?? ''} onChange={(event) => change(event.currentTarget.value)}>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {refreshText(choice)}
        </option>
      ))}
      <option value="">{refreshText(null)}</option>
    </select>
  );
}
