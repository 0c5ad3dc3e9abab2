/** Why a user is in an audience or not: the definition once more, each part with what became of it. */
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceVerdict, AudienceWhy } from '../../api/types.ts';
import { CopyAs } from '../copy-as.tsx';
import { JsonValue } from '../json/json-view.tsx';
import { Sentence } from './sentence-view.tsx';
import { Loading, Problem } from '../loading/states.tsx';
import { Ago, exactTime, zoneChoice, zoneOf } from '../time.tsx';
import { useAnswer } from '../loading/use-load.ts';
import './why-tree.css';

export interface WhyUserProps {
  readonly audienceId: string;
  readonly user: { readonly user_id: string | null; readonly internal_id: string };
}

export function WhyUser({ audienceId, user }: WhyUserProps) {
  const path = { id: audienceId };
  const query = user.user_id === null ? { internal_id: user.internal_id } : { user_id: user.user_id };
  const asked = operation('GET /v1/audiences/{id}/why', { path, query });
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/why', { path, query: { ...query, events: '3' } }));
  if (loaded.state === 'loading') return <Loading what="why" />;
  if (loaded.state === 'failed') return <Problem error={loaded.error} retry={loaded.retry} />;
  const why = loaded.value;
  return (
    <div class="why">
      <div class="section-head">
        <Conclusion why={why} />
        <CopyAs request={asked} />
      </div>
      <ul>
        <Part verdict={why.why} />
      </ul>
    </div>
  );
}

function Conclusion({ why }: { readonly why: AudienceWhy }) {
  return (
    <p>
      <b>{why.is_member ? 'In this audience' : 'Not in this audience'}</b>{' '}
      {why.changes_at !== null && (
        <span class="quiet">
          {why.is_member ? 'until' : 'enters'} {exactTime(why.changes_at, zoneOf(zoneChoice.value))}, if nothing more
          happens
        </span>
      )}
    </p>
  );
}

function Part({ verdict }: { readonly verdict: AudienceVerdict }) {
  return (
    <li>
      <div class={`part ${verdict.is_met ? 'met' : 'unmet'}`}>
        <svg viewBox="0 0 16 16" role="img" aria-label={verdict.is_met ? 'True' : 'Not true'}>
          <path d={verdict.is_met ? 'M3 8.500l3.500 3.500L13 4.500' : 'M4 4l8 8M12 4l-8 8'} />
        </svg>
        <div>
          <Sentence text={verdict.condition} />
          <Found verdict={verdict} />
        </div>
      </div>
      {verdict.of !== undefined && (
        <ul>
          {verdict.of.map((part) => (
            <Part key={part.path} verdict={part} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** What the user has done or is, as far as this part asks. */
function Found({ verdict }: { readonly verdict: AudienceVerdict }) {
  if (verdict.kind === 'trait') return <FoundTrait verdict={verdict} />;
  if (verdict.kind !== 'event' || verdict.count === undefined) return null;
  const { rawJSON: times } = verdict.count;
  const [newest] = verdict.events ?? [];
  return (
    <p class="quiet small">
      {times === '0' ? 'Never, in that time' : times === '1' ? 'Once' : `${times} times`}
      {newest !== undefined && (
        <>
          {times === '1' ? ', ' : ', the last '}
          <Ago at={newest.timestamp} />
        </>
      )}
      <Until verdict={verdict} />
    </p>
  );
}

function FoundTrait({ verdict: { value, version, ...verdict } }: { readonly verdict: AudienceVerdict }) {
  const when = version === null || version === undefined ? null : <Ago at={version.timestamp} />;
  return (
    <p class="quiet small">
      {value === undefined ? (
        when === null ? (
          'No message has it'
        ) : version?.is_deletion === true ? (
          <>Deleted {when}</>
        ) : (
          <>There is nothing at this place, since {when}</>
        )
      ) : (
        <>
          It is <JsonValue value={value} maxLength={80} />, set {when}
        </>
      )}
      <Until verdict={verdict} />
    </p>
  );
}

/** When this part changes by time alone. */
function Until({ verdict }: { readonly verdict: AudienceVerdict }) {
  if (verdict.changes_at === null) return null;
  return (
    <>
      {verdict.is_met ? ' · stops being true ' : ' · becomes true '}
      <Ago at={verdict.changes_at} />
    </>
  );
}
