/** The definitions that an audience has and had: who changed what, when, and what came of it. */
import { ask, operation } from '../../api/client.ts';
import { countOf, jsonText } from '../../api/json.ts';
import type { AudienceVersion, HistoryEntry, SavedAudience } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { mayChangeAudiences } from '../../api/session.ts';
import { count } from '../../parts/numbers.ts';
import { depthOf, Sentence } from '../../parts/conditions/sentence-view.tsx';
import { LinkButton, Section } from '../../parts/page.tsx';
import { KeyName } from '../key-name.tsx';
import { Ago } from '../../parts/time.tsx';
import { Ready, useLoad } from '../../parts/loading/use-load.tsx';
import { changedLines } from './state.ts';

export function Versions({ audience }: { readonly audience: SavedAudience }) {
  const path = { id: audience.id };
  const loaded = useLoad(audience.id, async (signal) =>
    Promise.all([
      ask({ ...operation('GET /v1/audiences/{id}/versions', { path, query: { limit: 100 } }), signal }),
      ask({ ...operation('GET /v1/audiences/{id}/history', { path, query: { limit: 1_000 } }), signal }),
    ]),
  );
  return (
    <Section id="versions" title="Versions">
      <Ready of={loaded} what="versions">
        {([{ versions }, { history }]) => <VersionList id={audience.id} versions={versions} history={history} />}
      </Ready>
    </Section>
  );
}

interface VersionListProps {
  readonly id: string;
  /** Newest first. */
  readonly versions: readonly AudienceVersion[];
  readonly history: readonly HistoryEntry[];
}

function VersionList({ id, versions, history }: VersionListProps) {
  return (
    <ol class="versions">
      {versions.map((version, i) => {
        const effect = history.find(
          ({ version: { rawJSON }, cause }) => rawJSON === version.version.rawJSON && cause === 'definition',
        );
        return (
          <li key={version.version.rawJSON}>
            <div class="section-head">
              <h3>
                Version {version.version.rawJSON}
                {i === 0 && ', as it is now'}
              </h3>
              {i > 0 && mayChangeAudiences.value && (
                <LinkButton
                  label="Restore this version…"
                  link={linkTo(['audiences', id, 'edit'], { definition: jsonText(version.definition) })}
                />
              )}
            </div>
            <p class="quiet small">
              <Made version={version} />
              {effect !== undefined &&
                ` · ${count(countOf(effect.entered))} joined and ${count(countOf(effect.left))} left by it`}
            </p>
            <Lines lines={changedLines(version.description, versions[i + 1]?.description)} />
          </li>
        );
      })}
    </ol>
  );
}

/** `made 2 days ago with the key Jobs` */
export function Made({ version }: { readonly version: AudienceVersion }) {
  const { changed_at: at, changed_by: key, changed_by_name: name } = version;
  return (
    <>
      {version.version.rawJSON === '1' ? 'made ' : 'changed '}
      {at !== null && <Ago at={at} />}
      {key !== null && (
        <>
          {' '}
          with{' '}
          {name === null ? (
            <KeyName id={key} name={null} />
          ) : (
            <>
              the key <b title={key}>{name}</b>
            </>
          )}
        </>
      )}
    </>
  );
}

function Lines({ lines }: { readonly lines: ReturnType<typeof changedLines> }) {
  return (
    <ul class="sentences changed-lines">
      {lines.map(({ kind, line }, i) => (
        <li key={i} class={kind}>
          <span style={depthOf(line)}>
            {kind !== 'same' && <span class="visually-hidden">{kind === 'added' ? 'Added: ' : 'Removed: '}</span>}
            <Sentence text={line} />
          </span>
        </li>
      ))}
    </ul>
  );
}
