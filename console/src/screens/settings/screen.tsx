/** `#/settings/{tab}`: what an operator sets. All but one's own session needs an admin key. */
import type { ComponentChildren } from 'preact';
import { address, linkTo } from '../../frame/router.ts';
import { isAdmin } from '../../frame/session.ts';
import { NeedsKey } from '../../frame/needs-key.tsx';
import { ScreenPage } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
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
  const open = (tab ?? (isAdmin.value ? 'projects' : 'session')) as TabName;
  return (
    <ScreenPage title="Settings">
      <Tabs
        label="Settings"
        tabs={Object.entries(TABS)
          .filter(([path]) => isAdmin.value || path === 'session')
          .map(([path, title]) => ({ title, link: linkTo(['settings', path]), isOpen: path === open }))}
      />
      {isAdmin.value || open === 'session' ? <Content open={open} id={id} /> : <NeedsKey />}
    </ScreenPage>
  );
}

function Content({ open, id }: { readonly open: TabName; readonly id: string | undefined }): ComponentChildren {
  switch (open) {
    case 'projects':
      return id === undefined ? <Projects /> : <ProjectPage key={id} id={id} />;
    case 'keys':
      return <Keys />;
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
