import { zoneChoice, zoneOf } from '../parts/time.tsx';
import { openHelp } from './help.tsx';
import { linkTo } from './router.ts';
import { type Screen, SCREENS } from './screens.ts';
import { chooseProject, project, session, signOut } from './session.ts';

export function Navigation({ current }: { readonly current: Screen | undefined }) {
  return (
    <header class="side">
      <a class="brand" href={linkTo([])}>
        <Mark />
        Tidemark
      </a>
      <nav aria-label="Screens">
        <ul>
          {SCREENS.map((screen) => (
            <li key={screen.path}>
              <a href={linkTo([screen.path])} aria-current={screen === current ? 'page' : undefined}>
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d={screen.icon} />
                </svg>
                {screen.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <details class="account" open={isWide()}>
        <summary aria-label="Project and settings">
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M2 4.500h12M2 8h12M2 11.500h12" />
          </svg>
        </summary>
        <div class="account-panel">
          <ProjectChoice />
          <label>
            <span class="label">Times in</span>
            <select value={zoneChoice.value} onChange={(event) => (zoneChoice.value = event.currentTarget.value)}>
              <option value="project">Project ({zoneOf('project')})</option>
              <option value="utc">UTC</option>
              <option value="local">Local ({zoneOf('local')})</option>
            </select>
          </label>
          <div class="row">
            <button type="button" class="plain" onClick={openHelp}>
              Keys <kbd>?</kbd>
            </button>
            <button type="button" class="plain" onClick={() => void signOut()}>
              Sign out
            </button>
          </div>
        </div>
      </details>
    </header>
  );
}

function ProjectChoice() {
  const projects = typeof session.value === 'object' ? session.value.projects : [];
  if (projects.length < 2) {
    return (
      <p>
        <span class="label">Project</span>
        <b>{project.value?.name ?? 'none'}</b>
      </p>
    );
  }
  return (
    <label>
      <span class="label">Project</span>
      <select value={project.value?.id ?? ''} onChange={(event) => chooseProject(event.currentTarget.value)}>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Where there is room beside the content, the panel is always open; its summary is not there. */
function isWide(): boolean {
  return matchMedia('(min-width: 801px)').matches;
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
