/** `#/settings/{tab}`: what an operator sets. All but one's own session needs an admin key. */
import type { ComponentChildren } from 'preact';
import { address, linkTo } from '../../api/address.ts';
import { isAdmin, signedIn, signOut } from '../../api/session.ts';
import { NeedsKey } from '../../parts/loading/needs-key.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Button } from '../../parts/form.tsx';
import { KeyName } from '../key-name.tsx';
import { ScreenPage, Section } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { minuteText } from '../../parts/time.tsx';
import { Audit } from './audit.tsx';
import { Forgotten } from './forgotten.tsx';
import { Installation } from './installation.tsx';
import { Keys } from './keys.tsx';
import { ProjectPage } from './project.tsx';
import { Projects } from './projects.tsx';
import './settings.css';

const SETTINGS_TABS = {
  projects: 'Projects',
  keys: 'Admin keys',
  audit: 'Audit log',
  forgotten: 'Forgotten people',
  installation: 'Installation',
  session: 'Your session',
} as const;
type TabName = keyof typeof SETTINGS_TABS;

export function SettingsScreen() {
  const [, tab, id] = address.value.path;
  const open = (tab ?? (isAdmin.value ? 'projects' : 'session')) as TabName;
  return (
    <ScreenPage title="Settings">
      <Tabs
        label="Settings"
        tabs={Object.entries(SETTINGS_TABS)
          .filter(([path]) => isAdmin.value || path === 'session')
          .map(([path, title]) => ({ title, link: linkTo(['settings', path]), isOpen: path === open }))}
      />
      {isAdmin.value || open === 'session' ? <SettingsContent open={open} id={id} /> : <NeedsKey />}
    </ScreenPage>
  );
}

function SettingsContent({ open, id }: { readonly open: TabName; readonly id: string | undefined }): ComponentChildren {
  switch (open) {
    case 'projects':
      return id === undefined ? <Projects /> : <ProjectPage key={id} id={id} />;
    case 'keys':
      return <Keys />;
    case 'audit':
      return <Audit />;
    case 'forgotten':
      return <Forgotten />;
    case 'installation':
      return <Installation />;
    case 'session':
      return <OwnSession />;
    default:
      open satisfies never;
      return <p>There is no such page of the settings.</p>;
  }
}

/** What the reader signed in with, and how that ends. */
function OwnSession() {
  if (signedIn.value === undefined) return null;
  const { key_id: key, key_name: name, scopes, projects, expires_at: end } = signedIn.value;
  const facts = {
    Key: <KeyName id={key} name={name} />,
    Permissions: scopes.join(', '),
    [projects.length === 1 ? 'Project' : 'Projects']: projects.map(({ name }) => name).join(', '),
    'Ends at the latest': minuteText(end),
  };
  return (
    <Section id="session" title="Your session">
      <Facts of={facts} look="installation" />
      <p class="text quiet">
        It ends after 12 hours without use. To end all sessions that were opened with a key, revoke the key.
      </p>
      <Button label="Sign out of this browser" onClick={() => void signOut()} />
    </Section>
  );
}
