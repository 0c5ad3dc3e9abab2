import { useEffect, useRef, useState } from 'preact/hooks';
import { zoneChoice, zoneOf } from '../parts/time.tsx';
import { Choice } from '../parts/choice.tsx';
import { Button, Menu } from '../parts/form.tsx';
import { openHelp } from './help.tsx';
import { address, linkTo } from '../api/address.ts';
import { openScreens, type Screen } from './screens.ts';
import { openSearch } from './search.tsx';
import { chooseProject, project, projects, signOut } from '../api/session.ts';
import type { ComponentChildren } from 'preact';
import { countOf, type RawNumber } from '../api/json.ts';
import type { Raw } from '../api/types.ts';
import { operation, type Request } from '../api/client.ts';
import { count } from '../parts/numbers.ts';
import { POLL_MS, useAnswer } from '../parts/loading/use-load.tsx';

/** Beside the content; where there is little room, all of it is behind one button. */
export function Navigation({ current }: { readonly current: Screen | undefined }) {
  const isWide = useIsWide();
  const menu = useRef<HTMLDetailsElement>(null);
  const { path } = address.value;
  useEffect(() => {
    if (menu.current !== null && !isWide) menu.current.open = false;
  }, [path.join('/'), isWide]);
  return (
    <header class="side">
      <a class="brand" href={linkTo([])}>
        <Mark />
        Tidemark
      </a>
      <details class="side-menu" ref={menu} open={isWide}>
        <summary aria-label="Menu">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 4.500h12M2 8h12M2 11.500h12" />
          </svg>
        </summary>
        <div class="side-panel">
          <ProjectChoice />
          <button type="button" class="search-button" onClick={openSearch}>
            Search <kbd>Ctrl K</kbd>
          </button>
          {/* The links have the project that is looked at. */}
          <Screens key={project.value?.id} current={current} />
          <Account />
        </div>
      </details>
    </header>
  );
}

function Screens({ current }: { readonly current: Screen | undefined }) {
  const screens = openScreens.value.filter(({ below }) => below === undefined);
  const here = current?.below ?? current?.path;
  return (
    <nav aria-label="Screens">
      <ul>
        {screens.map((screen, index) => {
          const isFirst = index > 0 && screens[index - 1]?.group !== screen.group;
          return (
            <li key={screen.path} class={isFirst || screen.group === '' ? 'first-of-group' : ''}>
              {(isFirst || index === 0) && screen.group !== '' && (
                <span class="group-name quiet small" aria-hidden="true">
                  {screen.group}
                </span>
              )}
              <a href={linkTo([screen.path])} aria-current={screen.path === here ? 'page' : undefined}>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d={screen.icon} />
                </svg>
                {screen.name}
                {WAITING[screen.path]?.()}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Account() {
  return (
    <div class="account row">
      <Menu text="Account" look="plain">
        <Choice
          label="Times in"
          value={zoneChoice.value}
          options={{
            project: `Project (${zoneOf('project')})`,
            utc: 'UTC',
            local: `Local (${zoneOf('local')})`,
          }}
          onChoice={(zone) => (zoneChoice.value = zone)}
        />
        <button type="button" class="plain" onClick={openHelp}>
          Shortcuts <kbd>?</kbd>
        </button>
      </Menu>
      <Button label="Sign out" look="plain" onClick={() => void signOut()} />
    </div>
  );
}

function ProjectChoice() {
  if (projects.value.length < 2) {
    return (
      <p class="project-choice">
        <span class="label">Project</span>
        <b>{project.value?.name ?? 'none'}</b>
      </p>
    );
  }
  return (
    <div class="project-choice">
      <Choice
        label="Project"
        value={project.value?.id ?? ''}
        options={projects.value.map(({ id, name }) => [id, name])}
        onChoice={chooseProject}
      />
    </div>
  );
}

/** Whether there is room beside the content. */
function useIsWide(): boolean {
  const [media] = useState(() => matchMedia('(min-width: 801px)'));
  const [isWide, setWide] = useState(media.matches);
  useEffect(() => {
    const change = (): void => setWide(media.matches);
    media.addEventListener('change', change);
    return () => media.removeEventListener('change', change);
  }, []);
  return isWide;
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M6 12c3.300 0 3.300 3 6.700 3s3.300-3 6.600-3 3.400 3 6.700 3" />
      <path class="second" d="M6 19.500c3.300 0 3.300 3 6.700 3s3.300-3 6.600-3 3.400 3 6.700 3" />
    </svg>
  );
}

/** What a screen has that wants a look, by its path. */
const WAITING: Readonly<Record<string, () => ComponentChildren>> = {
  live: () => (
    <Count what="rejected" when="today" request={operation('GET /v1/status')} find={(status) => status.refused_today} />
  ),
  'dead-letters': () => (
    <Count
      what="failed"
      when="waiting"
      request={operation('GET /v1/admin/status')}
      find={({ dead_letters: waiting }) => waiting?.messages}
    />
  ),
};

interface CountProps<T> {
  readonly what: string;
  /** Left out where there is little room. */
  readonly when: string;
  readonly request: Request<T>;
  readonly find: (answer: Raw<T>) => RawNumber | null | undefined;
}

function Count<T>({ what, when, request, find }: CountProps<T>) {
  const { value } = useAnswer(request, POLL_MS.idle);
  const waiting = value === undefined ? undefined : find(value);
  const found = waiting ? countOf(waiting) : 0;
  if (found === 0) return null;
  return (
    <span class="badge mended">
      {count(found)} {what}
      <span class="visually-hidden"> {when}</span>
    </span>
  );
}
