/** What wants something done, what to do, and where the documentation says more. */
import type { Attention } from '../api/types.ts';
import { address, linkTo } from '../frame/router.ts';

export function AttentionList({ items }: { readonly items: readonly Attention[] }) {
  const [here] = address.value.path;
  return (
    <ul class="attention" aria-label="What wants attention">
      {items.map(({ code, reason, link }) => {
        const [path, name] = SCREENS[code] ?? ['pipeline', 'See the pipeline'];
        return (
          <li key={code + reason}>
            <b>{sentence(reason)}</b>
            <span>{TO_DO[code]}</span>
            {path !== here && <a href={linkTo(path.split('/'))}>{name}</a>}
            <span class="quiet small">
              More in <code>{link}</code>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** How many things want something done, in words. */
export function wantsText(things: number): string {
  if (things === 0) return 'All systems normal';
  return things === 1 ? '1 issue needs attention' : `${things} issues need attention`;
}

/** By code: where something is done about it, unless that is the pipeline. */
const SCREENS: Readonly<Record<string, readonly [path: string, name: string]>> = {
  dead_letters_waiting: ['dead-letters', 'See the dead letters'],
  disk_low: ['settings/installation', 'See the installation'],
};

/** By code: the first thing to do, for whoever is called at night. */
const TO_DO: Readonly<Record<string, string>> = {
  not_ready: 'Messages are refused. Look at the newest errors in the log of the service.',
  log_unavailable:
    'Messages are refused until the log answers. See whether its server runs, and whether its disk is full.',
  log_incomplete: 'What the stores have stays. A replay would lose it: set the retention of the topics to none.',
  log_replaced: 'Messages are refused: this is not the log that the stores have read. Restore it.',
  store_unavailable:
    'Nothing is lost: the log keeps all of it. See whether the server runs, and whether its disk is full.',
  clock_skewed: 'Messages are refused. Set the clock of the machine right.',
  spool_in_use: 'Messages wait on this machine’s disk. See why the event log does not answer.',
  reader_missing: 'Start a process that runs it. Nothing is lost: the log keeps all of it.',
  reader_failed: 'Look up the code of its last error, correct the cause and restart the process.',
  reader_stuck: 'See why its store does not answer. It goes on by itself, and nothing is lost.',
  reader_behind: 'Nothing is lost. If it does not catch up, see what slows its store down, or start more processes.',
  dead_letters_waiting: 'Look at their errors, correct the cause, then replay or drop them.',
  disk_low: 'Make room or enlarge the disk before it is full: messages are refused then.',
  verification_found_difference: 'Look at the red hours of the pipeline, then replay the store that is wrong.',
  verification_old: 'Verify now, and see why the service does not do it by itself.',
};

function sentence(reason: string): string {
  return reason.slice(0, 1).toUpperCase() + reason.slice(1);
}
