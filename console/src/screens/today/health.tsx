/** One line for all that can be wrong: it says what is, and leads there. It opens to the whole list. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countOf } from '../../api/json.ts';
import { operation } from '../../api/client.ts';
import type { Attention, ProjectStatus } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { isAdmin } from '../../api/session.ts';
import { AttentionList, reasonOf, wantsText, whereOf } from '../../parts/attention.tsx';
import { capital, count } from '../../parts/numbers.ts';
import { POLL_MS, Problem, useAnswer } from '../../parts/loading/use-load.tsx';
import { isWell, PART_NAMES, ReadyParts } from './ready-parts.tsx';

export function Health(props: HealthProps) {
  return isAdmin.value ? <OfInstallation {...props} /> : <OfProcess {...props} />;
}

interface HealthProps {
  /** Undefined where it is not known yet, or nothing was recorded. */
  readonly status: ProjectStatus | undefined;
  /** Whether the page says already that it gets no answers. */
  readonly isTold: boolean;
}

function OfInstallation({ status, isTold }: HealthProps) {
  const { value, error, retry } = useAnswer(operation('GET /v1/admin/status'), POLL_MS.current);
  if (error !== undefined) return isTold ? null : <Problem error={error} retry={retry} />;
  const items = value?.attention;
  return (
    <HealthLine status={status} items={items} wrong={[]}>
      <p>
        <a href={linkTo(['pipeline'])}>See the pipeline</a>
      </p>
    </HealthLine>
  );
}

function OfProcess({ status, isTold }: HealthProps) {
  const { value, error, retry } = useAnswer({ ...operation('GET /readyz'), takes: [503] }, POLL_MS.current);
  if (error !== undefined) return isTold ? null : <Problem error={error} retry={retry} />;
  const unwell = Object.entries(value?.parts ?? {}).filter(([, state]) => !isWell(state));
  const wrong = unwell.map(([name, state]) => `${PART_NAMES[name] ?? name}: ${state}`);
  const items = status?.attention ?? [];
  return (
    <HealthLine status={status} items={value && items} wrong={wrong}>
      <ReadyParts parts={value?.parts ?? {}} />
    </HealthLine>
  );
}

interface HealthLineProps extends Pick<HealthProps, 'status'> {
  /** Undefined until it is known. */
  readonly items: readonly Attention[] | undefined;
  /** What else is wrong, in words. */
  readonly wrong: readonly string[];
  readonly children: ComponentChildren;
}

function HealthLine({ status, items, wrong, children }: HealthLineProps) {
  const [isOpen, setOpen] = useState(false);
  const wants = (items?.length ?? 0) + wrong.length;
  return (
    <div class="health">
      <p>
        <i class={`dot ${items && (wants === 0 ? 'alive' : 'warn')}`} aria-hidden="true" />
        {items === undefined ? (
          <span class="quiet">Checking…</span>
        ) : (
          <button type="button" class="bare" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {wantsText(wants)}
          </button>
        )}
        {!isOpen && <First item={items?.[0]} wrong={wrong[0]} />}
        {status !== undefined && <Behind {...status.lag_seconds} />}
        {status !== undefined && <Different verification={status.verification} />}
      </p>
      {isOpen && items !== undefined && items.length > 0 && <AttentionList items={items} />}
      {isOpen && children}
    </div>
  );
}

/** What is seen without opening the list. */
function First({ item, wrong }: { readonly item: Attention | undefined; readonly wrong: string | undefined }) {
  if (wrong !== undefined) return <span>{wrong}</span>;
  if (item === undefined) return null;
  const { link, name } = whereOf(item);
  return (
    <>
      <span>{reasonOf(item)}</span>
      <a href={link}>{name}</a>
    </>
  );
}

/** Below it is what a batch takes. */
const CURRENT_S = 2;

/** Nothing where new events are searchable within seconds. */
function Behind({ profiles, analytics }: ProjectStatus['lag_seconds']) {
  if (profiles === null || analytics === null) return <span>The delay of the stores is unknown right now.</span>;
  const [p, a] = [countOf(profiles), countOf(analytics)];
  if (p < CURRENT_S && a < CURRENT_S) return null;
  const behind = [
    p >= CURRENT_S && `Profiles are ${count(Math.round(p))} s behind`,
    a >= CURRENT_S && `analytics is ${count(Math.round(a))} s behind`,
  ];
  return <span>{capital(behind.filter((part) => part !== false).join(', '))}: new events appear after that.</span>;
}

/** Nothing where the last data check found nothing. */
function Different({ verification }: { readonly verification: ProjectStatus['verification'] | undefined }) {
  const wrong = countOf(verification?.hours_different ?? { rawJSON: '0' });
  if (wrong === 0) return null;
  const hours = count(countOf(verification?.hours_compared ?? { rawJSON: '0' }));
  return (
    <span class="field-error">
      In {count(wrong)} of {hours} hours a store differs from the log.
    </span>
  );
}
