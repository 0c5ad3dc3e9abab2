/** The definitions that an audience has and had: who changed what, when, and what came of it. */
import type { AudienceVersion, HistoryEntry, HistoryPage, SavedAudience, VersionPage } from '../../api/audiences.ts';
import { ask } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { count } from '../../parts/numbers.ts';
import { Sentence } from '../../parts/sentence-view.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { type ChangedLine, changedLines } from './changed-lines.ts';

export function Versions({ audience }: { readonly audience: SavedAudience }) {
  const path = `v1/audiences/${audience.id}`;
  const loaded = useLoad(path, async (signal) =>
    Promise.all([
      ask<VersionPage>({ path: `${path}/versions`, query: { limit: '100' }, signal }),
      ask<HistoryPage>({ path: `${path}/history`, query: { limit: '1000' }, signal }),
    ]),
  );
  return (
    <section aria-labelledby="versions">
      <div class="section-head">
        <h2 id="versions">Versions</h2>
        <CopyAs path={`${path}/versions`} />
      </div>
      {loaded.state === 'loading' && <Loading what="versions" />}
      {loaded.state === 'failed' && <Problem error={loaded.error} retry={loaded.retry} />}
      {loaded.state === 'ready' && <List versions={loaded.value[0].versions} history={loaded.value[1].history} />}
    </section>
  );
}

interface ListProps {
  /** Newest first. */
  readonly versions: readonly AudienceVersion[];
  readonly history: readonly HistoryEntry[];
}

function List({ versions, history }: ListProps) {
  return (
    <ol class="versions">
      {versions.map((version, i) => {
        const effect = history.find(
          ({ version: { rawJSON }, cause }) => rawJSON === version.version.rawJSON && cause === 'definition',
        );
        return (
          <li key={version.version.rawJSON}>
            <h3>
              Version {version.version.rawJSON}
              {i === 0 && ', as it is now'}
            </h3>
            <p class="quiet small">
              {version.changed_at !== null && <Ago at={version.changed_at} />}
              {version.changed_by !== null && (
                <>
                  {' with the key '}
                  <code>{version.changed_by}</code>
                </>
              )}
              {effect !== undefined &&
                ` · let ${count(countOf(effect.entered))} enter and ${count(countOf(effect.left))} leave`}
            </p>
            <Lines lines={changedLines(version.definition, versions[i + 1]?.definition)} />
          </li>
        );
      })}
    </ol>
  );
}

function Lines({ lines }: { readonly lines: readonly ChangedLine[] }) {
  return (
    <ul class="sentences changed-lines">
      {lines.map(({ is, line }, i) => (
        <li key={i} class={is}>
          <span class={`depth-${Math.min(line.depth, 6)}`}>
            {is !== 'same' && <span class="visually-hidden">{is === 'added' ? 'Added: ' : 'Removed: '}</span>}
            <Sentence words={line.words} />
          </span>
        </li>
      ))}
    </ul>
  );
}
