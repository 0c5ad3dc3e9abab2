import { useEffect } from 'preact/hooks';
import { ask, type Body as BodyOf, operation } from '../../api/client.ts';
import type { ImportJob, ImportPreview } from '../../api/types.ts';
import { address, goTo, linkTo, setParameters } from '../../api/address.ts';
import { project } from '../../api/session.ts';
import { Choice } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { useChange } from '../../parts/loading/change.tsx';
import { Loading, Problem, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { Button, Check } from '../../parts/form.tsx';
import { isOver } from '../job-state.tsx';
import { CHOICES, choicesIn, choose, DELIMITERS, PRESETS, ROWS } from './choices.ts';
import { ImportState, RefusedList, useImport, Warnings } from './import-page.tsx';
import { PreviewTable, Remedies } from './preview-table.tsx';

type Body = BodyOf<'POST /v1/admin/imports'>;
type Source = { readonly file: string } | { readonly path: string };

/** What the first rows are, what the columns mean, a check of all of it, and the import. */
export function MapColumns({ source }: { readonly source: Source }) {
  const { query } = address.value;
  const choices = choicesIn(query);
  const body = { project: project.value?.id ?? '', ...source, ...choices };
  const preview = useAnswer(operation('POST /v1/admin/imports/preview', { body }));
  const isRead = CHOICES.some((name) => query.has(name));
  return (
    <>
      {isRead && <Options query={query} />}
      <Ready of={preview} what="the first rows">
        {(found) =>
          isRead ? (
            <>
              <Lacks of={found} />
              <Warnings of={found.warnings} />
              <Remedies of={found} />
              <PreviewTable preview={found} />
              <Start body={body} isUsable={found.problem === null} />
            </>
          ) : (
            <UseGuess of={found.guess} />
          )
        }
      </Ready>
    </>
  );
}

/** What a file seems to be is taken first. */
function UseGuess({ of: guess }: { readonly of: ImportPreview['guess'] }) {
  useEffect(() => choose(guess), []);
  return <Loading what="the first rows" />;
}

/** Why every row would be refused, in words of what can be chosen. */
function Lacks({ of: { problem, guess } }: { readonly of: ImportPreview }) {
  const lacks = Object.entries(LACKS).filter(([lack]) => problem?.includes(lack));
  const texts = lacks.length > 0 ? lacks.map(([, text]) => text) : problem === null ? [] : [problem];
  if (guess.header === false)
    texts.push('The first line seems to be a row. Put a line above it that names the columns.');
  return texts.map((text) => (
    <p key={text} class="notice">
      {text}
    </p>
  ));
}

const LACKS: Readonly<Record<string, string>> = {
  'there is no user_id': 'Which column has the user id? Choose “User id” under its name.',
  'there is no type': 'What is each row: an event, or traits of a user? Choose it above.',
  'there is no event': 'Which column has the name of the event? Choose “Event name” under it.',
};

function Options({ query }: { readonly query: URLSearchParams }) {
  return (
    <div class="filters">
      <Choice
        label="Exported from"
        value={query.get('preset') ?? ''}
        options={PRESETS}
        onChoice={(preset) => choose({ preset, type: null, map: {} })}
      />
      <Choice
        label="Each row is"
        value={query.get('type') ?? ''}
        options={ROWS}
        onChoice={(type) => choose({ type })}
      />
      <Choice
        label="Fields are separated by"
        value={query.get('delimiter') ?? ''}
        options={DELIMITERS}
        onChoice={(delimiter) => choose({ delimiter })}
      />
      <Check
        label="Rows may have no time"
        isOn={query.get('untimed') === 'yes'}
        onChange={(isOn) => setParameters({ untimed: isOn ? 'yes' : undefined, check: undefined })}
      />
    </div>
  );
}

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
      {check !== undefined && (
        <Ready of={checked} what="the check">
          {(job) => (
            <>
              <ImportState job={job} />
              <RefusedList job={job} />
            </>
          )}
        </Ready>
      )}
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
