import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { type Body as BodyOf, operation } from '../../../../schemas/operations.ts';
import type { ImportJob, ImportPreview } from '../../api/types.ts';
import { address, goTo, linkTo, setParameters } from '../../api/address.ts';
import { project } from '../../api/session.ts';
import { Choice } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { Problem } from '../../parts/loading/states.tsx';
import { useChange } from '../../parts/loading/change.tsx';
import { Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Button, Check } from '../../parts/form.tsx';
import { isOver } from '../job-state.tsx';
import { ImportState, RefusedList, useImport, Warnings } from './import-page.tsx';
import { MEMBERS, PreviewTable } from './preview-table.tsx';

type Body = BodyOf<'POST /v1/admin/imports'>;
type Source = { readonly file: string } | { readonly path: string };
type ColumnMap = Readonly<Record<string, string>>;

/** What the first rows are, what the columns mean, a check of all of it, and the import. */
export function MapColumns({ source }: { readonly source: Source }) {
  const { query } = address.value;
  const map = mapIn(query);
  const request = { project: project.value?.id ?? '', ...source, ...optionsIn(query), map };
  const preview = useAnswer(operation('POST /v1/admin/imports/preview', { body: request }));
  return (
    <>
      <Options query={query} />
      <Ready of={preview} what="the first rows">
        {(found) => (
          <>
            {found.problem !== null && <p class="notice">{found.problem}</p>}
            <Warnings of={found.warnings} />
            <Guessed preview={found} query={query} />
            <PreviewTable preview={found} map={map} onMap={(changed) => change({ map: mapText(changed) })} />
            <Start body={request} isUsable={found.problem === null} />
          </>
        )}
      </Ready>
    </>
  );
}

/** What the columns seem to be, where nothing was said of them and rows would be rejected. */
function Guessed({
  preview: { guess, rows },
  query,
}: {
  readonly preview: ImportPreview;
  readonly query: URLSearchParams;
}) {
  const map = Object.entries(guess.map);
  const preset = PRESET_NAMES.find((name) => name === guess.preset);
  const isAsked = ['preset', 'type', 'map', 'delimiter'].some((name) => query.has(name));
  const isGood = map.length === 0 || rows.every(({ problems }) => problems.length === 0);
  if (isAsked || (isGood && preset === undefined)) return null;
  const use = (): void =>
    change({
      preset,
      type: guess.type ?? undefined,
      map: mapText(guess.map),
      delimiter: guess.delimiter === ',' ? undefined : (guess.delimiter ?? undefined),
      time_format: guess.time_format ?? undefined,
    });
  const columns = map.map(([column, member]) => `${column} is ${(MEMBERS[member] ?? member).toLowerCase()}`);
  const what = guess.type === 'identify' ? 'traits of users' : 'events';
  return (
    <p class="notice row">
      <span>
        It looks like {preset === undefined ? `${what}: ${columns.join(', ')}` : `an export of ${PRESETS[preset]}`}.
      </span>
      <Button label="Use this" onClick={use} />
    </p>
  );
}

/** A check of the file as it was read before says nothing any more. */
function change(changes: Readonly<Record<string, string | undefined>>): void {
  setParameters({ ...changes, check: undefined });
}

function Options({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="filters">
      <Choice
        label="Exported from"
        value={query.get('preset') ?? ''}
        options={PRESETS}
        onChoice={(preset) => change({ preset, type: undefined, map: undefined })}
      />
      <Choice
        label="Each row is"
        value={query.get('type') ?? ''}
        options={ROWS}
        onChoice={(type) => change({ type })}
      />
      <Choice
        label="Fields are separated by"
        value={query.get('delimiter') ?? ''}
        options={DELIMITERS}
        onChoice={(delimiter) => change({ delimiter })}
      />
      <Check
        label="Detect numbers and true/false"
        isOn={query.get('types') === 'yes'}
        onChange={(isOn) => change({ types: isOn ? 'yes' : undefined })}
      />
      <Check
        label="Rows may have no time"
        isOn={query.get('untimed') === 'yes'}
        onChange={(isOn) => change({ untimed: isOn ? 'yes' : undefined })}
      />
    </div>
  );
}

const ROWS = { '': 'given by its column “type”', track: 'an event', identify: 'traits of a user' };
const DELIMITERS = { '': 'a comma', ';': 'a semicolon', '\t': 'a tab', '|': 'a bar' };

type Preset = NonNullable<Body['preset']>;

/** The forms of other products that the service knows. */
const PRESETS = {
  '': 'Somewhere else',
  segment: 'Segment',
  rudderstack: 'RudderStack',
  posthog: 'PostHog: events',
  'posthog-persons': 'PostHog: persons',
  mixpanel: 'Mixpanel: events',
  'mixpanel-people': 'Mixpanel: people',
  amplitude: 'Amplitude: events',
  'amplitude-users': 'Amplitude: users',
  ga4: 'Google Analytics 4: events',
  'ga4-users': 'Google Analytics 4: users',
  snowplow: 'Snowplow',
  customerio: 'Customer.io: calls',
  'customerio-people': 'Customer.io: people',
  'customerio-activities': 'Customer.io: activities',
} as const satisfies Record<Preset | '', string>;
const PRESET_NAMES = (Object.keys(PRESETS) as (keyof typeof PRESETS)[]).filter((name) => name !== '');

function Start({ body, isUsable }: { readonly body: Body; readonly isUsable: boolean }) {
  const { isBusy, error, run } = useChange();
  const { query } = address.value;
  const untimed = query.get('untimed') === 'yes';
  const check = query.get('check') ?? undefined;
  const checked = useImport(check);
  const isChecking = check !== undefined && (checked.value === undefined || !isOver(checked.value.state));
  const isChecked = check !== undefined && !isChecking;
  const start = async (isDry: boolean): Promise<ImportJob> =>
    ask(operation('POST /v1/admin/imports', { body: { ...body, untimed, dry_run: isDry } }));
  const checkAll = (): void => run(async () => setParameters({ check: (await start(true)).id }));
  const importAll = (): void => run(async () => goTo(linkTo(['imports', (await start(false)).id])));
  return (
    <section class="below" aria-label="Check and import">
      {error !== undefined && <Problem error={error} />}
      {check !== undefined && <Checked id={check} check={checked} />}
      <p class="row">
        <Button
          label={isChecking ? 'Checking…' : 'Check the whole file'}
          look={isChecked ? '' : 'primary'}
          disabled={isBusy || isChecking || !isUsable}
          onClick={checkAll}
        />
        <Button
          label={`Import into ${project.value?.name ?? ''}`}
          look={isChecked ? 'primary' : ''}
          disabled={isBusy || !isUsable}
          onClick={importAll}
        />
        <CopyAs request={operation('POST /v1/admin/imports', { body: { ...body, untimed } })} />
      </p>
      <p class="quiet small">The check imports nothing. It shows how many rows would be rejected, and why.</p>
    </section>
  );
}

/** The report of a dry run. */
function Checked({ id, check }: { readonly id: string; readonly check: ReturnType<typeof useImport> }) {
  return (
    <Ready of={check} what="the check">
      {(job) => {
        const counts = job.result ?? job.progress;
        return (
          <>
            <ImportState job={job} />
            <RefusedList
              id={id}
              refused={counts?.refused === undefined ? 0 : countOf(counts.refused)}
              isOver={isOver(job.state)}
            />
          </>
        );
      }}
    </Ready>
  );
}

const ROW_TYPES = ['track', 'identify'] as const;

function optionsIn(query: URLSearchParams) {
  return {
    type: ROW_TYPES.find((type) => type === query.get('type')) ?? null,
    delimiter: query.get('delimiter') ?? ',',
    preset: PRESET_NAMES.find((name) => name === query.get('preset')) ?? null,
    time_format: query.get('time_format'),
    types: query.get('types') === 'yes',
  };
}

function mapIn(query: URLSearchParams): ColumnMap {
  return Object.fromEntries(new URLSearchParams(query.get('map') ?? ''));
}

function mapText(map: ColumnMap): string {
  return new URLSearchParams(map).toString();
}
