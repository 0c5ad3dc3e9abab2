/** `#/backups`: a backup now, those that were made, and how one is checked and restored. */
import { ask, operation } from '../../api/client.ts';
import type { Answer } from '../../api/types.ts';
import { countOf } from '../../api/json.ts';
import { parameter } from '../../api/address.ts';
import { Command } from '../../parts/copy-as.tsx';
import { KeyName, type KeyNames, useKeyNames } from '../key-name.tsx';
import { ChangeButton, tellDone } from '../../parts/loading/change.tsx';
import { Empty, POLL_MS, Ready, useAnswer } from '../../parts/loading/use-load.tsx';
import { bytes, counted, durationText } from '../../parts/numbers.ts';
import { DocsLink, Facts, ScreenPage, Section } from '../../parts/page.tsx';
import { type CellColumn, Listing } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { isOver, JobState } from '../job-state.tsx';

type BackupsPage = Answer<'GET /v1/admin/backups'>;
type Backup = BackupsPage['backups'][number];

export function BackupsScreen() {
  const polled = useAnswer(
    operation('GET /v1/admin/backups', { query: { limit: 20, cursor: parameter('cursor') } }),
    (page) => (isRunning(page) ? POLL_MS.running : POLL_MS.idle),
  );
  const { value, retry } = polled;
  const names = useKeyNames();
  return (
    <ScreenPage
      title="Backups"
      beside={<p class="quiet">The event log, projects, keys and audiences: all that a restore needs</p>}
      actions={value !== undefined && value.folder !== null && <BackUp isUnderWay={isRunning(value)} onStart={retry} />}
      copy={{
        request: operation('GET /v1/admin/backups'),
        also: { 'back up now': operation('POST /v1/admin/backups', { body: {} }) },
      }}
    >
      <Ready of={polled} what="backups">
        {(page) => (
          <>
            {page.folder === null ? (
              <Empty title="No folder for backups">
                Name one with the setting <code>BACKUP_DIR</code> and restart the service: it then backs up once a day.{' '}
                <DocsLink path="docs/operations.md#backup-and-restore">Backup and restore</DocsLink>
              </Empty>
            ) : (
              <Facts of={scheduleOf(page)} look="wide-facts" />
            )}
            <Listing
              rows={page.backups}
              keyOf={({ id }) => id}
              columns={backupColumns(names)}
              none={page.folder !== null && <p class="quiet">No backups yet.</p>}
              next={page.next_cursor}
            />
            {page.last !== null && (
              <Section id="check" title="Check and restore" look="text">
                <p class="quiet">
                  A check reads every file of the newest backup. Run it on the machine of the service.{' '}
                  <DocsLink path="docs/operations.md#backup-and-restore">How to restore</DocsLink>
                </p>
                <Command name="tidemark" text={`./tidemark backup check ${page.last.folder}`} />
              </Section>
            )}
          </>
        )}
      </Ready>
    </ScreenPage>
  );
}

function isRunning({ backups }: BackupsPage): boolean {
  return backups.some(({ state }) => !isOver(state));
}

function BackUp({ isUnderWay, onStart }: { readonly isUnderWay: boolean; readonly onStart: () => void }) {
  const start = async (): Promise<void> => {
    await ask(operation('POST /v1/admin/backups', { body: {} }));
    tellDone('Backup started.');
    onStart();
  };
  const label = isUnderWay ? 'Backing up…' : 'Back up now';
  return <ChangeButton label={label} look="primary" disabled={isUnderWay} change={start} />;
}

function scheduleOf({ folder, every_seconds: every, last }: BackupsPage) {
  const seconds = countOf(every);
  return {
    'Last backup': last === null ? 'none yet' : <Ago at={last.finished_at} />,
    Schedule: seconds === 0 ? 'only when asked' : `every ${durationText(seconds)}`,
    Kept: last !== null && `${counted(last.kept)}, ${bytes(last.bytes_total)} in all`,
    Folder: <code>{folder}</code>,
  };
}

function backupColumns(names: KeyNames): readonly CellColumn<Backup>[] {
  return [
    { name: 'Started', cell: ({ created_at: at }) => <Ago at={at} /> },
    {
      name: 'State',
      cell: ({ state, problem }) => (
        <>
          <JobState state={state} />
          {problem !== null && <p class="field-error">{problem.detail}</p>}
        </>
      ),
    },
    {
      name: 'By',
      look: 'quiet narrow-off',
      cell: ({ principal: id }) => (id === 'service' ? 'schedule' : <KeyName id={id} name={names.get(id)} />),
    },
    { name: 'New messages', look: 'number', cell: messagesOf },
    { name: 'Written', look: 'number', cell: ({ result }) => result !== null && bytes(result.bytes) },
    {
      name: 'Took',
      look: 'number narrow-off',
      cell: ({ result }) => result !== null && durationText(countOf(result.took_ms) / 1_000),
    },
  ];
}

/** `41,200`; of one that runs `12,000 of 41,200`. */
function messagesOf({ result, progress, state }: Backup): string {
  if (result !== null) return counted(result.records);
  if (progress === null || isOver(state)) return '';
  return `${counted(progress.done)}${progress.total === undefined ? '' : ` of ${counted(progress.total)}`}`;
}
