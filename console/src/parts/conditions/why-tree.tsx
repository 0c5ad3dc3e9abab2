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
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/why', { path, query: { ...query, events: '0' } }));
  if (loaded.state === 'loading') return <Loading what="why" />;
  if (loaded.state === 'failed') return <Problem error={loaded.error} retry={loaded.retry} />;
  const why = loaded.value;
  return (
    <div class="why">
      <div class="section-head">
        <Conclusion why={why} />
        <CopyAs request={asked} />
      </div>
      <VerdictTree verdict={why.why} />
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

/** A part of a definition with what became of it, and the parts in it. */
export function VerdictTree({ verdict }: { readonly verdict: AudienceVerdict }) {
  const inner = innerOf(verdict);
  return (
    <>
      <div class={`part ${verdict.is_met ? 'met' : 'unmet'}`}>
        <svg viewBox="0 0 16 16" role="img" aria-label={verdict.is_met ? 'True' : 'Not true'}>
          <path d={verdict.is_met ? 'M3 8.500l3.500 3.500L13 4.500' : 'M4 4l8 8M12 4l-8 8'} />
        </svg>
        <div>
          <Sentence text={verdict.condition} />
          {inner.of === undefined && (
            <p class="quiet small">
              {inner.kind === 'trait' ? <FoundTrait verdict={inner} /> : <FoundEvents verdict={inner} />}
              <Until verdict={verdict} />
            </p>
          )}
        </div>
      </div>
      {inner.of !== undefined && (
        <ul>
          {inner.of.map((part) => (
            <li key={part.path}>
              <VerdictTree verdict={part} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What a `not` is around, where one description says both. */
function innerOf(verdict: AudienceVerdict): AudienceVerdict {
  const [inner] = verdict.of ?? [];
  return verdict.kind === 'not' && inner !== undefined && inner.kind !== 'not' ? inner : verdict;
}

function FoundEvents({ verdict: { count, last } }: { readonly verdict: AudienceVerdict }) {
  const times = count?.rawJSON ?? '0';
  return (
    <>
      {times === '0' ? 'Never, in that time' : times === '1' ? 'Once' : `${times} times`}
      {last && (
        <>
          {times === '1' ? ', ' : ', the last '}
          <Ago at={last.timestamp} />
        </>
      )}
    </>
  );
}

function FoundTrait({ verdict: { value, version } }: { readonly verdict: AudienceVerdict }) {
  const when = version === null || version === undefined ? null : <Ago at={version.timestamp} />;
  if (value !== undefined)
    return (
      <>
        It is <JsonValue value={value} maxLength={80} />, set {when}
      </>
    );
  if (when === null) return <>No message has it</>;
  return version?.is_deletion === true ? <>Deleted {when}</> : <>There is nothing at this place, since {when}</>;
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
