/** One audience: how large it is, who is meant, and where it is sent, and its members, changes and past. */
import { useEffect } from 'preact/hooks';
import { operation } from '../../api/client.ts';
import type { SavedAudience } from '../../api/types.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { NoSuch, POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { ScreenPage, tabLinks, tabOf, Tabs } from '../../parts/page.tsx';
import { Changes } from './changes.tsx';
import { AudienceButtons, copyOf } from './audience-buttons.tsx';
import { ListLines } from './list-screen.tsx';
import { Members } from './members.tsx';
import { SendTo, SentTo, type Webhooks } from './send-to.tsx';
import { Size, Versions } from './past.tsx';
import { stateOf } from './state.ts';
import { Summary } from './summary.tsx';
import { isUpdating } from './updates.ts';

const AUDIENCE_TABS = [
  { name: '', title: 'Members' },
  { name: 'changes', title: 'Changes' },
  { name: 'history', title: 'History' },
] as const;

export function AudiencePage({ id }: { readonly id: string }) {
  const request = operation('GET /v1/audiences/{id}', { path: { id } });
  const isRunning = isUpdating(id);
  const polled = useAnswer(request, (found) =>
    stateOf(found, Date.now(), isRunning).isCounting === true ? POLL_MS.running : POLL_MS.current,
  );
  const { value: audience, retry } = polled;
  const webhooks = useAnswer(mayChangeAudiences.value ? operation('GET /v1/endpoints') : undefined, POLL_MS.current);
  useEffect(() => {
    if (audience !== undefined) retry();
  }, [isRunning]);
  return (
    <ScreenPage
      title={audience?.name ?? 'Audience'}
      up={{ path: 'audiences', name: 'Audiences' }}
      actions={
        audience !== undefined &&
        mayChangeAudiences.value && (
          <>
            <SendTo audience={audience} webhooks={webhooks} />
            <AudienceButtons audience={audience} />
          </>
        )
      }
      copy={audience && copyOf(audience)}
    >
      <Ready of={polled} what="the audience" missing={<NoSuch what="audience" path="audiences" />}>
        {(found) => <Audience audience={found} webhooks={webhooks} onChange={retry} />}
      </Ready>
    </ScreenPage>
  );
}

interface AudienceProps {
  readonly audience: SavedAudience;
  readonly webhooks: Webhooks;
  /** Told when it was changed, or counted. */
  readonly onChange: () => void;
}

function Audience({ audience, webhooks, onChange }: AudienceProps) {
  const tab = tabOf(AUDIENCE_TABS);
  // Whatever changes the audience, or counts it, changes what is below.
  const key = `${audience.revision.rawJSON} ${audience.evaluation?.at}`;
  return (
    <>
      <Summary audience={audience} onChange={onChange} />
      <ListLines audience={audience} />
      <SentTo audience={audience} webhooks={webhooks} />
      <Tabs label="About this audience" tabs={tabLinks(AUDIENCE_TABS)} />
      {tab === '' && <Members key={key} audience={audience} />}
      {tab === 'changes' && <Changes key={key} audience={audience} />}
      {tab === 'history' && (
        <>
          <Size key={key} audience={audience} />
          <Versions key={`versions ${key}`} audience={audience} />
        </>
      )}
    </>
  );
}
