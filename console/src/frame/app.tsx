import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { keepsDigits } from '../api/json.ts';
import { Loading, Problem } from '../parts/loading/states.tsx';
import { Help, openHelp } from './help.tsx';
import { useShortcuts } from './keyboard.ts';
import { Navigation } from './navigation.tsx';
import { address, goTo, linkTo } from './router.ts';
import { openScreens, type Screen, SCREENS } from './screens.ts';
import { keepScroll } from './scroll.ts';
import { Search } from './search.tsx';
import { isStarting, loadSession, project, session, sessionError } from './session.ts';
import { SignIn } from './sign-in.tsx';

export function App() {
  if (!keepsDigits) return <TooOld />;
  if (isStarting.value) return <Starting />;
  if (sessionError.value !== undefined) {
    return (
      <main class="alone">
        <Problem error={sessionError.value} retry={retrySession} />
      </main>
    );
  }
  if (session.value === 'unknown') return null;
  return session.value === 'none' ? <SignIn /> : <Frame />;
}

function retrySession(): void {
  void loadSession();
}

function Starting() {
  return (
    <main class="alone">
      <h1>Tidemark is starting…</h1>
      <p class="status" role="status">
        <i class="dot alive" aria-hidden="true" />
        It opens its stores. This page goes on by itself.
      </p>
    </main>
  );
}

function TooOld() {
  return (
    <main class="alone">
      <h1>This browser is too old</h1>
      <p>
        It would show other digits of large numbers than were sent. Chrome and Edge 114, Firefox 135 and Safari 18.4,
        and what is newer, show all of them.
      </p>
    </main>
  );
}

function Frame() {
  const screen = SCREENS.find(({ path }) => path === (address.value.path[0] ?? ''));
  useShortcuts(useMemo(globalShortcuts, []));
  useEffect(keepScroll, []);
  useTitle(screen?.name);
  const skip = (event: Event): void => {
    event.preventDefault();
    document.querySelector('main')?.focus();
  };
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Navigation current={screen} />
      <main id="main" tabIndex={-1}>
        {screen === undefined ? <NoSuchScreen /> : <LazyScreen key={screen.path + project.value?.id} screen={screen} />}
      </main>
      <Help />
      <Search />
    </div>
  );
}

/** The tab of the browser is named after what is open: by the heading of the page, whichever screen makes it. */
function useTitle(screen: string | undefined): void {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main === null) return undefined;
    const name = (): void => {
      const heading = main.querySelector('h1')?.textContent ?? undefined;
      const names = [heading === screen ? undefined : heading, screen, 'Tidemark'];
      document.title = names.filter((one) => one !== undefined && one !== '').join(' · ');
    };
    const observer = new MutationObserver(name);
    observer.observe(main, { childList: true, characterData: true, subtree: true });
    name();
    return () => observer.disconnect();
  }, [screen]);
}

function globalShortcuts(): Record<string, () => void> {
  const keys = openScreens.value.map(({ key, path }): [string, () => void] => [`g ${key}`, () => goTo(linkTo([path]))]);
  return { ...Object.fromEntries(keys), '/': focusSearch, '?': openHelp };
}

/** Every screen has one field with `data-search`: what it looks for. */
function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-search]')?.focus();
}

function LazyScreen({ screen }: { readonly screen: Screen }) {
  const [Loaded, setLoaded] = useState<ComponentType>();
  useEffect(() => {
    let isThere = true;
    void screen.load().then(
      ({ Screen }) => isThere && setLoaded(() => Screen),
      // A newer version of the service is there: its page names the files that it has.
      () => location.reload(),
    );
    return () => {
      isThere = false;
    };
  }, [screen]);
  return Loaded === undefined ? <Loading what={screen.name} /> : <Loaded />;
}

function NoSuchScreen() {
  return (
    <div class="screen">
      <h1>There is no such screen</h1>
      <p>
        The address may be of a newer version. <a href={linkTo([])}>Go to Today</a>.
      </p>
    </div>
  );
}
