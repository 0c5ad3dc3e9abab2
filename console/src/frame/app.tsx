import { useEffect, useMemo, useRef } from 'preact/hooks';
import { keepsDigits } from '../api/json.ts';
import { Loading, Problem, useLater } from '../parts/loading/use-load.tsx';
import { ScreenPage } from '../parts/page.tsx';
import { Feedback } from '../parts/loading/change.tsx';
import { Button } from '../parts/form.tsx';
import { Help, openHelp } from './help.tsx';
import { useShortcuts } from '../parts/keyboard.ts';
import { Navigation } from './navigation.tsx';
import { NeedsKey } from '../parts/loading/needs-key.tsx';
import { address, goTo, linkTo, parameter } from '../api/address.ts';
import { openScreens, type Screen, screenAt } from './screens.ts';
import { keepScroll } from './scroll.ts';
import { Search } from './search.tsx';
import { isStarting, loadSession, project, projects, session, sessionError, signOut } from '../api/session.ts';
import { SignIn } from './sign-in.tsx';

export function App() {
  if (!keepsDigits) return <TooOld />;
  if (isStarting.value) return <Starting />;
  if (sessionError.value !== undefined) {
    return (
      <main class="alone">
        <Problem error={sessionError.value} retry={() => void loadSession()} />
      </main>
    );
  }
  if (session.value === 'unknown') return null;
  return <SignedIn />;
}

function SignedIn() {
  const isSignedOut = session.value === 'none';
  const wasSignedOut = useRef(isSignedOut);
  wasSignedOut.current ||= isSignedOut;
  return isSignedOut ? <SignIn /> : <Frame isEntered={wasSignedOut.current} />;
}

function Starting() {
  return (
    <main class="alone">
      <h1>Tidemark is starting…</h1>
      <p class="status" role="status">
        <i class="dot alive" aria-hidden="true" />
        The service is opening its stores. This page continues by itself.
      </p>
    </main>
  );
}

function TooOld() {
  return (
    <main class="alone">
      <h1>This browser is too old</h1>
      <p>Large numbers would lose digits in it. Use Chrome or Edge 114, Firefox 135 or Safari 18.4, or a newer one.</p>
    </main>
  );
}

/** @param isEntered Whether somebody signed in on this page. */
function Frame({ isEntered }: { readonly isEntered: boolean }) {
  const screen = screenAt(address.value);
  useShortcuts(useMemo(globalShortcuts, []));
  useEffect(keepScroll, []);
  useTitle(screen?.name);
  useFocusOnScreen(isEntered);
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
        <Content screen={screen} />
      </main>
      <Help />
      <Search />
      <Feedback />
    </div>
  );
}

function Content({ screen }: { readonly screen: Screen | undefined }) {
  if (screen === undefined) {
    return (
      <ScreenPage title="There is no such screen">
        The address may be of a newer version. <a href={linkTo([])}>Go to Today</a>.
      </ScreenPage>
    );
  }
  if (!openScreens.value.includes(screen)) {
    return (
      <ScreenPage title={screen.name}>
        <NeedsKey permission={screen.needs} />
      </ScreenPage>
    );
  }
  // Settings have what is of no project.
  if (screen.path !== 'settings' && isOfAnother(parameter('project'))) return <OtherProject />;
  return <LazyScreen key={screen.path + project.value?.id} screen={screen} />;
}

function isOfAnother(named: string | undefined): boolean {
  return named !== undefined && !projects.value.some(({ id }) => id === named);
}

/** What is at the address must not be taken for the same of another project. */
function OtherProject() {
  return (
    <div class="screen">
      <div class="head">
        <h1>Another project</h1>
      </div>
      <p>
        This address is of a project that your key does not open, or that was deleted. Sign in with another key to open
        it, or <a href="#/">go to your own project</a>.
      </p>
      <p class="row below">
        <Button label="Sign out" onClick={() => void signOut()} />
      </p>
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

/**
 * The heading of a page that is opened has the focus, so that a screen reader says it and the next Tab goes on from there.
 * What takes the focus by itself keeps it, and so does all from the first press on.
 */
function useFocusOnScreen(isEntered: boolean): void {
  const path = address.value.path.join('/');
  const isOpened = useRef(isEntered);
  useEffect(() => {
    const main = document.querySelector('main');
    const isFirst = !isOpened.current;
    isOpened.current = true;
    // A document that was just loaded is read from its top.
    if (isFirst || main === null) return undefined;
    const observer = new MutationObserver(focus);
    const controller = new AbortController();
    const stop = (): void => {
      observer.disconnect();
      controller.abort();
    };
    function focus(): void {
      const { activeElement: active } = document;
      const heading = main?.querySelector<HTMLElement>('h1');
      if (heading === null || heading === undefined || active === heading) return;
      const owner = active?.closest('main, dialog') ?? null;
      if (owner !== null && active !== main) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
    for (const name of ['keydown', 'pointerdown'] as const) addEventListener(name, stop, { signal: controller.signal });
    observer.observe(main, { childList: true, subtree: true });
    focus();
    return stop;
  }, [path]);
}

function globalShortcuts(): Record<string, () => void> {
  const keys = openScreens.value.map(({ key, path }): [string, () => void] => [`g ${key}`, () => goTo(linkTo([path]))]);
  const rows = { j: () => moveFocus(1), k: () => moveFocus(-1) };
  return { ...Object.fromEntries(keys), ...rows, '/': focusSearch, '?': openHelp };
}

/** Through the rows of a list: the elements with `data-row`, which open with Enter as buttons and links do. */
function moveFocus(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at === -1 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus();
}

/** Every screen has one field with `data-search`: what it looks for. */
function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-search]')?.focus();
}

function LazyScreen({ screen }: { readonly screen: Screen }) {
  const Loaded = useLater(true, async () =>
    screen.load().catch(() => {
      // A newer version of the service is there: its page names the files that it has.
      location.reload();
      return () => null;
    }),
  );
  return Loaded === undefined ? <Loading what={screen.name} /> : <Loaded />;
}
