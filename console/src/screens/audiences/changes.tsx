/** The users who entered and left, newest count first. New counts appear without a reload. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { askLines } from '../../api/ndjson.ts';
import { operation } from '../../../../schemas/operations.ts';
import type { AudienceChange, HistoryEntry, SavedAudience } from '../../api/types.ts';
import { address, setParameters } from '../../frame/router.ts';
import { count } from '../../parts/numbers.ts';
import { Empty, Loading, Problem } from '../../parts/loading/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useAnswer, useLoad } from '../../parts/loading/use-load.ts';
import { useEscape, useRowKeys } from '../../parts/loading/use-rows.ts';
import { namesWanted, UserCell } from '../../parts/user-cell.tsx';
import { userLink } from '../user-link.ts';

interface ChangesProps {
  readonly audience: SavedAudience;
  /** Told when an evaluation has changed who is in it. */
  readonly onCounted: () => void;
}

const WAIT_S = 30;

export function Changes({ audience, onCounted }: ChangesProps) {
  const { id } = audience;
  const path = { id };
  const kind = kindIn(address.value.query);
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/history', { path, query: { limit: 200 } }));
  const isWaiting = useWait(id, audience.evaluation?.at, onCounted);
  useRowKeys();
  return (
    <section aria-labelledby="changes">
      <div class="section-head">
        <div class="head-with-status">
          <h2 id="changes">Joined and left</h2>
          {isWaiting && (
            <p class="status">
              <i class="dot alive" aria-hidden="true" />
              New ones appear here
            </p>
          )}
        </div>
        <select
          aria-label="Show"
          data-search
          value={kind}
          onChange={(event) => setParameters({ change: event.currentTarget.value })}
        >
          <option value="">Both</option>
          <option value="entered">Joined</option>
          <option value="left">Left</option>
        </select>
      </div>
      {loaded.state === 'loading' && <Loading what="changes" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && <Evaluations id={id} history={loaded.value.history} kind={kind} />}
    </section>
  );
}

type Kind = '' | AudienceChange['change'];

function kindIn(query: URLSearchParams): Kind {
  const kind = query.get('change');
  return kind === 'entered' || kind === 'left' ? kind : '';
}

/** Waits for somebody to enter or leave after `since`, and tells it each time. */
function useWait(id: string, since: string | undefined, tell: () => void): boolean {
  const [isWaiting, setWaiting] = useState(true);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const wait = async (): Promise<void> => {
      for (let after = since; !signal.aborted;) {
        const query = { since: after, wait: WAIT_S, limit: 1 };
        const asked = operation('GET /v1/audiences/{id}/changes', { path: { id }, query });
        const { lines, end } = await askLines({ ...asked, signal });
        after = end.through ?? after;
        if (lines.length > 0) tell();
      }
    };
    wait().catch((error: unknown) => {
      if (signal.aborted) return;
      // Without it the page is as it was; `Update now` and opening it again show what is new.
      setWaiting(false);
      if (!(error instanceof ApiError)) throw error;
    });
    return () => controller.abort();
  }, [id]);
  return isWaiting;
}

interface EvaluationsProps {
  readonly id: string;
  readonly history: readonly HistoryEntry[];
  readonly kind: Kind;
}

function Evaluations({ id, history, kind }: EvaluationsProps) {
  const counted = history.map((entry, i) => ({ entry, since: history[i + 1]?.at }));
  const shown = counted.filter(({ entry }) => numberOf(entry, kind) > 0);
  const open = address.value.query.get('at') ?? shown[0]?.entry.at;
  useEscape(() => setParameters({ at: 'none' }));
  if (shown.length === 0) return <NoChanges isCounted={history.length > 0} kind={kind} />;
  return (
    <ul class="rows" aria-label="Updates that changed it, newest first">
      {shown.map(({ entry, since }) => {
        const isOpen = entry.at === open;
        return (
          <li key={entry.at}>
            <button
              type="button"
              class="row-button evaluation-row"
              data-row
              aria-expanded={isOpen}
              onClick={() => setParameters({ at: isOpen ? 'none' : entry.at }, { push: true })}
            >
              <Ago at={entry.at} isPlain />
              <span>{count(countOf(entry.entered))} joined</span>
              <span>{count(countOf(entry.left))} left</span>
              <span class="quiet">{CAUSES[entry.cause](entry)}</span>
            </button>
            {isOpen && <Users id={id} entry={entry} since={since} kind={kind} />}
          </li>
        );
      })}
    </ul>
  );
}

const CAUSES: Readonly<Record<HistoryEntry['cause'], (entry: HistoryEntry) => string>> = {
  first: () => 'first update',
  definition: ({ version }) => `changed to version ${version.rawJSON}`,
  refresh: () => '',
};

function numberOf({ entered, left }: HistoryEntry, kind: Kind): number {
  return (kind === 'left' ? 0 : countOf(entered)) + (kind === 'entered' ? 0 : countOf(left));
}

function NoChanges({ isCounted, kind }: { readonly isCounted: boolean; readonly kind: Kind }) {
  if (!isCounted) {
    return (
      <Empty title="No data yet">
        <p>
          From the first update on, this says who joined and who left. Choose how often it updates, or update it now.
        </p>
      </Empty>
    );
  }
  return (
    <Empty
      title={kind === '' ? 'Nobody has joined or left' : kind === 'entered' ? 'Nobody has joined' : 'Nobody has left'}
    >
      <p>Every update so far found the same users.</p>
    </Empty>
  );
}

interface UsersProps extends Omit<EvaluationsProps, 'history'> {
  readonly entry: HistoryEntry;
  readonly since: string | undefined;
}

const SHOWN = 100;

function Users({ id, entry, since, kind }: UsersProps) {
  const asked = operation('GET /v1/audiences/{id}/changes', {
    path: { id },
    query: { since, limit: SHOWN, traits: namesWanted() },
  });
  const loaded = useLoad(`${id} ${entry.at}`, async (signal) => askLines({ ...asked, signal }));
  if (loaded.state === 'loading') return <Loading what="users" />;
  if (loaded.state === 'failed') return <Problem error={loaded.error} retry={loaded.retry} />;
  const ofEntry = loaded.value.lines.filter(({ at }) => at === entry.at);
  const users = ofEntry.filter(({ change }) => kind === '' || change === kind);
  const all = countOf(entry.entered) + countOf(entry.left);
  return (
    <div class="details">
      <ul class="changed-users">
        {users.map((user) => (
          <li key={user.internal_id}>
            <span class={user.change} title={user.change}>
              {user.change === 'entered' ? '+' : '−'}
              <span class="visually-hidden"> {user.change} </span>
            </span>
            <a href={userLink(user)}>
              <UserCell user={user} />
            </a>
          </li>
        ))}
      </ul>
      {all > ofEntry.length && (
        <p class="quiet small">
          The first {count(ofEntry.length)} of {count(all)}. <b>Use it</b> says how to get all of them.
        </p>
      )}
    </div>
  );
}
