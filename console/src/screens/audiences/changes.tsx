/** The users who entered and left, newest count first. New counts appear without a reload. */
import { countOf } from '../../api/json.ts';
import { askLines } from '../../api/ndjson.ts';
import { operation } from '../../api/client.ts';
import type { AudienceChange, HistoryEntry, SavedAudience } from '../../api/types.ts';
import { parameter, setParameters } from '../../api/address.ts';
import { Select } from '../../parts/choice.tsx';
import { count, counted } from '../../parts/numbers.ts';
import { Section } from '../../parts/page.tsx';
import { Listing, RowButton } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { Empty, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { useEscape } from '../../parts/keyboard.ts';
import { namesWanted, UserCell } from '../../parts/user-cell.tsx';
import { userLink } from '../user-link.ts';

export function Changes({ audience }: { readonly audience: SavedAudience }) {
  const { id } = audience;
  const kind = (['entered', 'left'] as const).find((one) => one === parameter('change')) ?? '';
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/history', { path: { id }, query: { limit: 200 } }));
  return (
    <Section
      id="changes"
      title="Joined and left"
      actions={
        <>
          <p class="status">
            <i class="dot alive" aria-hidden="true" />
            New ones appear here
          </p>
          <Select
            label="Show"
            isSearch
            value={kind}
            options={CHANGE_KINDS}
            onChoice={(change) => setParameters({ change })}
          />
        </>
      }
    >
      <Ready of={loaded} what="changes">
        {({ history }) => <Evaluations id={id} history={history} kind={kind} />}
      </Ready>
    </Section>
  );
}

type ChangeKind = '' | AudienceChange['change'];
const CHANGE_KINDS = { '': 'Both', entered: 'Joined', left: 'Left' } as const satisfies Record<ChangeKind, string>;

interface EvaluationsProps {
  readonly id: string;
  readonly history: readonly HistoryEntry[];
  readonly kind: ChangeKind;
}

function Evaluations({ id, history, kind }: EvaluationsProps) {
  const updates = history.map((entry, i) => ({ entry, since: history[i + 1]?.at }));
  const shown = updates.filter(({ entry }) => numberOf(entry, kind) > 0);
  const at = parameter('at') ?? shown[0]?.entry.at;
  const open = at === undefined ? undefined : shown.find((update) => isOf(update, at));
  useEscape(() => setParameters({ at: 'none' }));
  return (
    <Listing
      rows={shown}
      keyOf={({ since = 'the first' }) => since}
      columns={[
        {
          name: 'Updated',
          cell: (update) => (
            <RowButton
              isOpen={update === open}
              onToggle={() => setParameters({ at: update === open ? 'none' : update.entry.at }, { push: true })}
            >
              <Ago at={update.entry.at} isPlain />
            </RowButton>
          ),
        },
        { name: 'Joined', look: 'number', cell: ({ entry }) => counted(entry.entered) },
        { name: 'Left', look: 'number', cell: ({ entry }) => counted(entry.left) },
        { name: 'Cause', look: 'quiet', cell: ({ entry }) => CAUSES[entry.cause](entry) },
      ]}
      detailsOf={(update) => update === open && <Users id={id} {...update} kind={kind} />}
      none={
        <Empty title={history.length > 0 ? NOBODY[kind] : 'Not counted yet'}>
          {history.length > 0
            ? 'Every update so far found the same users.'
            : 'From the first update on, this says who joined and who left. Choose how often it updates, or update it now.'}
        </Empty>
      }
    />
  );
}

interface Update {
  readonly entry: HistoryEntry;
  /** When the update before it ended; undefined of the first. */
  readonly since: string | undefined;
}

/** An update of a live audience has the changes of some time: its own instant is that of the last, and moves on. */
function isOf({ entry, since = '' }: Update, at: string): boolean {
  return since < at && at <= entry.at;
}

const CAUSES: Readonly<Record<HistoryEntry['cause'], (entry: HistoryEntry) => string>> = {
  first: () => 'first update',
  definition: ({ version }) => `changed to version ${version.rawJSON}`,
  refresh: () => 'update',
  live: () => 'live',
};

function numberOf({ entered, left }: HistoryEntry, kind: ChangeKind): number {
  return (kind === 'left' ? 0 : countOf(entered)) + (kind === 'entered' ? 0 : countOf(left));
}

const NOBODY: Readonly<Record<ChangeKind, string>> = {
  '': 'Nobody has joined or left',
  entered: 'Nobody has joined',
  left: 'Nobody has left',
};

const SHOWN = 100;

function Users({ id, entry, since, kind }: Omit<EvaluationsProps, 'history'> & Update) {
  const asked = operation('GET /v1/audiences/{id}/changes', {
    path: { id },
    query: { since, limit: SHOWN, traits: namesWanted() },
  });
  const loaded = useLoad(`${id} ${entry.at} ${entry.entered.rawJSON} ${entry.left.rawJSON}`, async (signal) =>
    askLines({ ...asked, signal }),
  );
  const all = countOf(entry.entered) + countOf(entry.left);
  return (
    <Ready of={loaded} what="users">
      {({ lines }) => {
        const own = lines.filter(({ at }) => isOf({ entry, since }, at));
        return (
          <div class="details">
            <ul class="changed-users">{own.filter(({ change }) => kind === '' || change === kind).map(changedUser)}</ul>
            {all > own.length && (
              <p class="quiet small">
                The first {count(own.length)} of {count(all)}. <b>Copy as…</b>, at the top, has what gets all of them.
              </p>
            )}
          </div>
        );
      }}
    </Ready>
  );
}

function changedUser(user: AudienceChange) {
  return (
    <li key={user.internal_id}>
      <span class={user.change} title={user.change}>
        {user.change === 'entered' ? '+' : '−'}
        <span class="visually-hidden"> {user.change} </span>
      </span>
      <a href={userLink(user)}>
        <UserCell user={user} />
      </a>
    </li>
  );
}
