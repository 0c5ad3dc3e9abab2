/** What a project that is new begins with, loaded where it is one. */
import type { ComponentChildren } from 'preact';
import { operation } from '../../api/client.ts';
import type { LiveRow } from '../../api/types.ts';
import { stored } from '../../api/stored.ts';
import { Loading, POLL_MS, useAnswer, useLater } from '../../parts/loading/use-load.tsx';
import type { DoneSteps } from './first-steps.tsx';

/** Whether it is hidden on this browser. */
const choice = stored('get-started', 'open');

interface GetStartedProps {
  /** What came since the page listens, and the newest before. */
  readonly rows: readonly LiveRow[];
  readonly isListening: boolean;
  /** What stands below, once it is known whether there is anything above it: nothing jumps. */
  readonly children: ComponentChildren;
}

export function GetStarted({ children, ...feed }: GetStartedProps) {
  const steps = useSteps(feed.rows);
  const isNew = typeof steps === 'object' && Object.values(steps).includes(false);
  // It stays when the project is new no longer: it may have a key that nobody has noted yet.
  const Steps = useLater(isNew, async () =>
    import('./first-steps.tsx').then(
      (loaded) => loaded.FirstSteps,
      () => Nothing,
    ),
  );
  if (steps === 'unknown' || (isNew && Steps === undefined)) return <Loading what="Today" />;
  return (
    <>
      {Steps && <Steps steps={steps} {...feed} onHide={() => (choice.value = 'closed')} />}
      {children}
    </>
  );
}

/** Where the steps cannot be loaded, Today is as it is without. */
const Nothing = (): null => null;

/** None where they are hidden or cannot be found out. The catalog is a moment behind the messages that came here. */
function useSteps(rows: readonly LiveRow[]): DoneSteps | 'unknown' | 'none' {
  const isOpen = choice.value === 'open';
  const whileOpen = <T,>(request: T): T | undefined => (isOpen ? request : undefined);
  const query = { limit: 1 };
  const events = useAnswer(whileOpen(operation('GET /v1/catalog/events', { query })), POLL_MS.awaited);
  const traits = useAnswer(whileOpen(operation('GET /v1/catalog/traits', { query })), POLL_MS.awaited);
  const audiences = useAnswer(whileOpen(operation('GET /v1/audiences', { query })), POLL_MS.awaited);
  if (!isOpen || [events, traits, audiences].some(({ error, value }) => error !== undefined && value === undefined))
    return 'none';
  if (events.value === undefined || traits.value === undefined || audiences.value === undefined) return 'unknown';
  const came = (wanted: LiveRow['type']): boolean => rows.some(({ type }) => type === wanted);
  return {
    hasEvent: events.value.events.length > 0 || came('track'),
    hasIdentify: traits.value.traits.length > 0 || came('identify'),
    hasAudience: audiences.value.audiences.length > 0,
  };
}
