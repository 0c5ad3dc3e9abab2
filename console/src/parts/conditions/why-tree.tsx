/** Why a user is in an audience or not: the definition once more, each part with what became of it. */
import type { ComponentChildren } from 'preact';
import type { Answer } from '../../../../schemas/operations.ts';
import type { AudienceVerdict } from '../../api/types.ts';
import { JsonValue } from '../json/json-view.tsx';
import { Sentence } from './sentence-view.tsx';
import { Ago } from '../time.tsx';
import { Ready, useAnswer } from '../loading/use-load.tsx';
import './why-tree.css';
import { operation, type Operation } from '../../api/client.ts';

interface WhyProps {
  readonly request: Operation<Answer<'POST /v1/audiences/why'>>;
  /** Below: where it leads on. */
  readonly children?: ComponentChildren;
}

interface WhyUserProps {
  readonly audienceId: string;
  readonly user: { readonly user_id: string | null; readonly internal_id: string };
}

/** Why, by the definition that an audience was saved with. */
export function WhyUser({ audienceId, user }: WhyUserProps) {
  const query = user.user_id === null ? { internal_id: user.internal_id } : { user_id: user.user_id };
  const path = { id: audienceId };
  return <Why request={operation('GET /v1/audiences/{id}/why', { path, query: { ...query, events: 0 } })} />;
}

export function Why({ request, children }: WhyProps) {
  const nobody = <p class="quiet">No user has this id. The search is case-sensitive.</p>;
  return (
    <Ready of={useAnswer(request)} what="why" missing={nobody}>
      {({ is_member: isMember, changes_at: changesAt, why }) => (
        <div class="why">
          <p role="status">
            <b>{isMember ? 'In this audience' : 'Not in this audience'}</b>
            <span class="quiet">
              {changesAt === null ? (
                `, ${isMember ? 'no end date' : 'nothing scheduled'}`
              ) : (
                <>
                  {isMember ? ', leaves ' : ', joins '}
                  <Ago at={changesAt} /> if nothing more happens
                </>
              )}
            </span>
          </p>
          <VerdictTree verdict={why} />
          {children}
        </div>
      )}
    </Ready>
  );
}

/** A part of a definition with what became of it, and the parts in it. */
function VerdictTree({ verdict }: { readonly verdict: AudienceVerdict }) {
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
              {inner.kind === 'trait' && <FoundTrait verdict={inner} />}
              {inner.kind === 'event' && <FoundEvents verdict={inner} />}
              {verdict.changes_at !== null && (
                <>
                  {verdict.is_met ? ' · stops being true ' : ' · becomes true '}
                  <Ago at={verdict.changes_at} />
                </>
              )}
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
      {times === '0' ? 'Never' : times === '1' ? 'Once' : `${times} times`}
      {last && (
        <>
          {times === '1' ? ', ' : ', the last '}
          <Came of={last} />
        </>
      )}
    </>
  );
}

function FoundTrait({ verdict: { value, version } }: { readonly verdict: AudienceVerdict }) {
  const when = version === null || version === undefined ? null : <Came of={version} />;
  if (value !== undefined)
    return (
      <>
        It is <JsonValue value={value} maxLength={80} />, set {when}
      </>
    );
  if (when === null) return <>Never set</>;
  return version?.is_deletion === true ? <>Deleted {when}</> : <>Empty since {when}</>;
}

interface CameProps {
  readonly of: { readonly timestamp: string; readonly joined_id?: string };
}

/** When a message came, and by which anonymous id where it did not name the user. */
function Came({ of: { timestamp, joined_id: id } }: CameProps) {
  return (
    <>
      <Ago at={timestamp} />
      {id !== undefined && ' as '}
      {id !== undefined && <code>{id}</code>}
    </>
  );
}
