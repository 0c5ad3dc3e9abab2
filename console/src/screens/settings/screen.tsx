/** `#/settings/{tab}`: what an operator sets. All but one's own session needs an admin key. */
import type { ComponentChildren } from 'preact';
import { address, linkTo } from '../../frame/router.ts';
import { session } from '../../frame/session.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { useRowKeys } from '../../parts/use-rows.ts';
import { Audit } from './audit.tsx';
import { Installation } from './installation.tsx';
import { Keys } from './keys.tsx';
import { ProjectPage } from './project.tsx';
import { Projects } from './projects.tsx';
import { OwnSession } from './own-session.tsx';
import './settings.css';

const TABS = {
  projects: 'Projects',
  keys: 'Admin keys',
  audit: 'Audit log',
  installation: 'Installation',
  session: 'Your session',
} as const;
type TabName = keyof typeof TABS;

export function Screen() {
  const [, tab, id] = address.value.path;
  const isAdmin = typeof session.value === 'object' && session.value.scopes.includes('admin');
  const open = (tab ?? (isAdmin ? 'projects' : 'session')) as TabName;
  useRowKeys();
  return (
    <div class="screen settings">
      <div class="head">
        <h1>Settings</h1>
      </div>
      <Tabs
        label="Settings"
        tabs={Object.entries(TABS).map(([path, title]) => ({
          title,
          link: linkTo(['settings', path]),
          isOpen: path === open,
        }))}
      />
      {isAdmin || open === 'session' ? <Content open={open} id={id} /> : <NeedsAdmin what={TABS[open]} />}
    </div>
  );
}

function Content({ open, id }: { readonly open: TabName; readonly id: string | undefined }): ComponentChildren {
  switch (open) {
    case 'projects':
      return id === undefined ? <Projects /> : <ProjectPage key={id} id={id} />;
    case 'keys':
      return <Keys path="v1/admin/keys" isOfInstallation />;
    case 'audit':
      return <Audit />;
    case 'installation':
      return <Installation />;
    case 'session':
      return <OwnSession />;
    default:
      open satisfies never;
      return <p>There is no such page of the settings.</p>;
  }
}

function NeedsAdmin({ what }: { readonly what: string | undefined }) {
  const scopes = typeof session.value === 'object' ? session.value.scopes.join(', ') : '';
  return (
    <div class="needs-admin notice">
      <h2>This needs an admin key</h2>
      <p>
        {what ?? 'This page'} can be seen with a key of the scope <code>admin</code>. You signed in with one of the
        scope <code>{scopes}</code>. The first start of the service printed an admin key;{' '}
        <code>tidemark key create --scope admin</code> makes another, on the machine of the service.
      </p>
    </div>
  );
}
