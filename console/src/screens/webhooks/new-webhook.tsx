import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { EndpointWithSecret, SavedAudience } from '../../api/types.ts';
import { NewSecret } from '../../parts/new-secret.tsx';
import { WebhookForm } from './form.tsx';
import { type AudienceNames, nameOf } from './words.ts';

interface NewWebhookProps {
  readonly isOpen: boolean;
  /** The only audience that it is for. */
  readonly only?: SavedAudience;
  readonly names?: AudienceNames;
  /** Told that one was made, and that none is to be. */
  readonly onMade?: () => void;
  readonly onClose: () => void;
}

/** The form of a new webhook while it is open, and then its secret, until somebody has taken it. */
export function NewWebhook({ isOpen, only, names, onMade, onClose }: NewWebhookProps) {
  const [made, setMade] = useState<EndpointWithSecret>();
  const create = async (body: string): Promise<void> => {
    setMade(await ask(operation('POST /v1/endpoints', { body })));
    onClose();
    onMade?.();
  };
  return (
    <>
      {isOpen && <WebhookForm only={only} names={names} action="Create webhook" onSave={create} onClose={onClose} />}
      {made !== undefined && made.secret !== null && (
        <NewSecret
          title="The signing secret"
          name={nameOf(made)}
          what="the secret"
          text={made.secret}
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  );
}
