/** What wants something done, what to do, and where the documentation says more. */
import type { Attention } from '../api/types.ts';
import { address, linkTo } from '../api/address.ts';
import { project, projectName } from '../api/session.ts';
import { DocsLink } from './page.tsx';
import { capital } from './numbers.ts';

export function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  const [here] = address.value.path;
  return (
    <ul class="attention" aria-label="What needs attention">
      {items.map((item) => {
        const { path, link, name } = whereOf(item);
        return (
          <li key={item.code + item.reason}>
            <b>{reasonOf(item)}</b>
            <span>{TO_DO[item.code]}</span>
            {path !== here && <a href={link}>{name}</a>}
            <span class="small">
              <DocsLink path={item.link}>Documentation</DocsLink>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** What is wrong, and in which project where that is another. */
export function reasonOf({ reason, project_id: id }: Attention): string {
  const other = typeof id === 'string' && id !== project.value?.id ? ` (${projectName(id)})` : '';
  return capital(reason) + other;
}

/** Where something is done about it. */
export function whereOf({ code, project_id: id, object_id: object }: Attention) {
  const [path, name] = SCREENS[code] ?? ['pipeline', 'See the pipeline'];
  // The endpoints of the installation are on no page.
  const parts = [...path.split('/'), ...(object === undefined || id === null ? [] : [object])];
  return { path, name, link: linkTo(parts, { project: id ?? project.value?.id }) };
}

/** How many things want something done, in words. */
export function wantsText(things: number): string {
  if (things === 0) return 'All systems normal';
  return things === 1 ? '1 issue needs attention' : `${things} issues need attention`;
}

/** By code: where something is done about it, unless that is the pipeline. */
const SCREENS: Readonly<Record<string, readonly [path: string, name: string]>> = {
  dead_letters_waiting: ['dead-letters', 'See the dead letters'],
  backup_old: ['backups', 'See the backups'],
  backup_missing: ['backups', 'See the backups'],
  erasure_waits: ['settings/forgotten', 'See the forgotten people'],
  erasure_late: ['settings/forgotten', 'See the forgotten people'],
  endpoint_failing: ['webhooks', 'See the webhook'],
  audience_failing: ['audiences', 'See the audience'],
  audience_late: ['audiences', 'See the audience'],
  disk_low: ['settings/installation', 'See the installation'],
  disk_full_soon: ['settings/installation', 'See the installation'],
};

/** By code: the first thing to do, for whoever is called at night. */
const TO_DO: Readonly<Record<string, string>> = {
  not_ready: 'Messages are rejected. Look at the newest errors in the log of the service.',
  log_unavailable:
    'Messages are rejected until the log answers. Check that its server runs and that its disk is not full.',
  log_incomplete: 'The stores keep what they have; a replay would lose it. Set the retention of the topics to none.',
  log_replaced: 'Messages are rejected: this is not the log that the stores have read. Restore that one.',
  store_unavailable:
    'Nothing is lost: the log keeps everything. Check that the server runs and that its disk is not full.',
  clock_skewed: 'Messages are rejected. Correct the clock of the machine.',
  spool_in_use: 'Messages wait on the disk of this machine. Find out why the event log does not answer.',
  reader_missing: 'Start a process that runs it. Nothing is lost: the log keeps everything.',
  reader_failed: 'Look up the code of its last error, fix the cause and restart the process.',
  reader_stuck: 'Find out why its store does not answer. It continues by itself, and nothing is lost.',
  reader_behind:
    'Nothing is lost. If it does not catch up, find out what slows its store down, or start more processes.',
  dead_letters_waiting: 'Look at their errors, fix the cause, then replay or drop them.',
  disk_low: 'Free space or enlarge the disk: messages are rejected once it is full.',
  disk_full_soon: 'Free space or enlarge the disk: messages are rejected once it is full.',
  verification_found_difference: 'Look at the red hours under Pipeline, then replay the store that is wrong.',
  verification_old: 'Verify now, and find out why the service does not do it by itself.',
  backup_old: 'See why the last backup failed, then back up now.',
  backup_missing: 'Say where backups go, then make the first one.',
  endpoint_failing: 'Look at its last answers. It is tried again until it takes what waits: nothing is lost.',
  audience_failing: 'Its size is that of the last update. See why it failed: it is tried again.',
  audience_late: 'Its size is that of the last update. If it does not catch up, find out what slows questions down.',
  erasure_waits: 'It goes on by itself once the cause is gone. Nothing of the person is read or shown meanwhile.',
  endpoints_paused: 'If this is no drill any more, resume the endpoints of each project.',
  erasure_late: 'See the last erasure among the jobs, and why it failed. It is begun again every minute.',
};
