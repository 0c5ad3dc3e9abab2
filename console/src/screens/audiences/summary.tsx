/** How large an audience is and how that has changed, how fresh it is, and who is meant: in few words, and in all. */
import { operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { SavedAudience } from '../../api/types.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { Sentence, Sentences } from '../../parts/conditions/sentence-view.tsx';
import { Facts } from '../../parts/page.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { count, counted, HOUR_MS, shareText } from '../../parts/numbers.ts';
import { Ago } from '../../parts/time.tsx';
import { Button, Field } from '../../parts/form.tsx';
import { changeOfDay, changeText, isOfBefore, refreshText, seriesOf, stateOf } from './state.ts';
import { changeAudience, isUpdating, updateNow } from './updates.ts';
import { Made } from './past.tsx';
import { useState } from 'preact/hooks';
import { linkTo } from '../../api/address.ts';
import { ChangeButton, FieldError, Form, useChange } from '../../parts/loading/change.tsx';
import { useFocusOnMount } from '../../parts/use-focus.ts';
import { Select } from '../../parts/choice.tsx';

interface SummaryProps {
  readonly audience: SavedAudience;
  readonly onChange: () => void;
}

export function Summary({ audience, onChange }: SummaryProps) {
  const { id, evaluation, description } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const isOld = state.isCounting === true || isOfBefore(audience);
  return (
    <>
      <Labels key={audience.revision.rawJSON} audience={audience} onChange={onChange} />
      {state.reason !== undefined && (
        <p class="notice" role="status">
          <b>{state.text.replace(/\w$/, '$&.')}</b> {state.reason}
        </p>
      )}
      <section class="summary" aria-label="Size">
        <div class={`figure ${isOld ? 'stale' : ''}`}>
          {evaluation === null ? (
            <>
              <p class="size">{state.text}</p>
              {audience.refresh === null && (
                <p>
                  Its updates are manual. <UpdateButton label="Count now" id={id} />
                </p>
              )}
            </>
          ) : (
            <>
              <p class="size">
                <b>{count(countOf(evaluation.members))}</b> {countOf(evaluation.members) === 1 ? 'user' : 'users'}
              </p>
              <Share members={countOf(evaluation.members)} />
              <Month id={id} key={evaluation.at} />
            </>
          )}
        </div>
        <Freshness audience={audience} onChange={onChange} />
        <Meaning description={description} />
      </section>
    </>
  );
}

function UpdateButton({ label, id }: { readonly label: string; readonly id: string }) {
  if (!mayChangeAudiences.value) return null;
  return <ChangeButton label={label} look="plain" disabled={isUpdating(id)} change={async () => updateNow(id)} />;
}

/** How many of all users these are. */
function Share({ members }: { readonly members: number }) {
  const all = useAnswer(operation('POST /v1/users/query', { body: '{"limit":1}' })).value?.total ?? undefined;
  return <p class="quiet">{all !== undefined && `${shareText(members, countOf(all))} of ${counted(all)}`}</p>;
}

/** When it was updated, and how often it is. A live one says when somebody joined or left. */
function Freshness({ audience, onChange }: SummaryProps) {
  const { id, evaluation, refresh, version } = audience;
  const state = stateOf(audience, Date.now(), isUpdating(id));
  const isLive = state.text === 'Live';
  const updated = (
    <span class="row">
      {state.isCounting === true ? 'Counting…' : evaluation !== null && <Ago at={evaluation.at} />}
      {!isLive && <UpdateButton label="Update now" id={id} />}
    </span>
  );
  return (
    <Facts
      of={{
        [isLive ? 'Last change' : 'Updated']: evaluation !== null && updated,
        Updates: mayChangeAudiences.value ? (
          <RefreshChoice key={audience.revision.rawJSON} audience={audience} onChange={onChange} />
        ) : (
          refreshText(refresh)
        ),
        Definition: <NewestVersion id={id} key={version.rawJSON} />,
      }}
    />
  );
}

/** When the definition was made or changed, and by whom. */
function NewestVersion({ id }: { readonly id: string }) {
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/versions', { path: { id }, query: { limit: 1 } }));
  const newest = loaded.value?.versions[0];
  return newest === undefined ? null : <Made version={newest} />;
}

/** The definition, each condition on its line. */
function Meaning({ description }: { readonly description: string }) {
  if (!description.includes('\n')) {
    const isNegated = description.startsWith('not those');
    return (
      <p class="meaning">
        {isNegated ? 'All users but ' : 'Users '}
        <Sentence text={isNegated ? description.slice('not '.length) : description} />
      </p>
    );
  }
  return (
    <div class="meaning">
      <Sentences description={`Users who match ${description}`} />
    </div>
  );
}

const STEP_MS = 12 * HOUR_MS;
const STEPS = 60;

/** The change of a day, and the size in the last 30. */
function Month({ id }: { readonly id: string }) {
  const since = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - STEPS * STEP_MS).toISOString();
  const query = { since, per: 'hour', limit: 1_000 } as const;
  const loaded = useAnswer(operation('GET /v1/audiences/{id}/history', { path: { id }, query }));
  const history = loaded.value?.history ?? [];
  const change = changeOfDay(history, Date.now());
  const values = seriesOf(history, Date.now(), STEP_MS, STEPS);
  return (
    <>
      <p class="small">
        {change !== undefined && (
          <>
            <b class="change">{changeText(change)}</b> <span class="quiet">in 24 hours</span>
          </>
        )}
      </p>
      {values.length > 1 && <Sparkline values={values} room={STEPS} label="Size in the last 30 days" />}
    </>
  );
}

/** What an audience is for, and its tags: shown, and changed in their place. */
function Labels({ audience, onChange }: SummaryProps) {
  const [isEditing, setEditing] = useState(false);
  const { note, tags } = audience;
  const close = (): void => setEditing(false);
  if (isEditing) return <LabelsForm audience={audience} onChange={onChange} onClose={close} />;
  const isEmpty = note === '' && tags.length === 0;
  return (
    <div class="labels row">
      {note !== '' && <p>{note}</p>}
      <Tags tags={tags} />
      {mayChangeAudiences.value && (
        <Button
          label={isEmpty ? 'Add a description or tags' : 'Change'}
          look="plain"
          onClick={() => setEditing(true)}
        />
      )}
    </div>
  );
}

/** Each leads to the list of those that have it. */
export function Tags({ tags }: Pick<SavedAudience, 'tags'>) {
  return tags.map((tag) => (
    <a key={tag} class="badge tag" href={linkTo(['audiences'], { tag })}>
      {tag}
    </a>
  ));
}

function LabelsForm({ audience, onChange, onClose }: SummaryProps & { readonly onClose: () => void }) {
  const field = useFocusOnMount<HTMLTextAreaElement>();
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const [note, words] = [textOf('note'), textOf('tags')];
    const tags = [...new Set(words.split(',').map((word) => word.trim()))].filter((word) => word !== '');
    const change = operation('PATCH /v1/audiences/{id}', { path: { id: audience.id }, body: { note, tags } });
    await changeAudience(audience, change);
    onClose();
    onChange();
  };
  return (
    <Form label="Description and tags" look="card labels-form" action="Save" onSend={save} onCancel={onClose}>
      <label>
        <span class="label">Description</span>
        <textarea ref={field} name="note" rows={2} maxLength={1_000} defaultValue={audience.note} />
      </label>
      <Field label="Tags, separated by commas" name="tags" defaultValue={audience.tags.join(', ')} />
    </Form>
  );
}

/** How often a saved audience is counted by itself; `manually` pauses that. */
function RefreshChoice({ audience, onChange }: SummaryProps) {
  const { id, refresh } = audience;
  const { error, run } = useChange();
  // What was chosen stands until the audience has it, or it was refused.
  const [wanted, setWanted] = useState(refresh);
  const change = (chosen: string): void => {
    const body = { refresh: chosen === '' ? null : chosen };
    setWanted(body.refresh);
    const request = operation('PATCH /v1/audiences/{id}', { path: { id }, body });
    run(async () => changeAudience(audience, request).then(onChange));
  };
  return (
    <>
      <RefreshOptions refresh={error === undefined ? wanted : refresh} onChoose={change} />
      <FieldError error={error} />
    </>
  );
}

const CHOICES = ['live', '5m', '15m', '1h', '6h', '1d', '1w'];

interface RefreshOptionsProps {
  readonly refresh: string | null;
  /** Before each of them. */
  readonly verb?: string;
  readonly onChoose: (refresh: string) => void;
}

export function RefreshOptions({ refresh, verb = '', onChoose }: RefreshOptionsProps) {
  const choices = refresh === null || CHOICES.includes(refresh) ? CHOICES : [refresh, ...CHOICES];
  const options = [...choices, ''].map((choice) => [choice, verb + refreshText(choice || null)] as const);
  return <Select label="Updates" value={refresh ?? ''} options={options} onChoice={onChoose} />;
}
