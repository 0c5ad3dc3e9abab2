/** Users by what people type of them: a part of a name, an email or an id. */
import { ask, operation } from '../api/client.ts';
import { TYPED_MS } from '../parts/choice.tsx';
import type { Suggestion } from '../parts/combobox.tsx';
import { displayName } from '../parts/user-cell.tsx';

const MOST = 6;

export interface FoundUser extends Suggestion {
  readonly user_id: string | null;
  readonly internal_id: string;
}

/** Those of one name differ in what stands beside it. @throws ApiError; the reason of the signal. */
export async function findUsers(text: string, signal: AbortSignal): Promise<readonly FoundUser[]> {
  const request = operation('GET /v1/users', { query: { search: text, limit: MOST } });
  const { users } = await ask({ ...request, signal });
  return users.map(({ user_id: userId, internal_id: internalId, traits }) => {
    const id = userId ?? internalId;
    const name = displayName({ traits }) ?? id;
    const email = typeof traits['email'] === 'string' ? traits['email'] : name;
    const others = [email, userId ?? 'anonymous'].filter((one) => one !== name);
    return { name, detail: others.join(' · '), user_id: userId, internal_id: internalId };
  });
}

/** Waits until nobody typed for a moment. @throws the reason of the signal. */
export async function pauseOfTyping(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, TYPED_MS));
  signal.throwIfAborted();
}
