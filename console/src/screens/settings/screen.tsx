/** `#/settings/{tab}`: what an operator sets. All but one's own session needs an admin key. */
import type { ComponentType } from 'preact';
import { address, linkTo } from '../../api/address.ts';
import { isAdmin, signedIn, signOut } from '../../api/session.ts';
import { NeedsKey } from '../../parts/loading/needs-key.tsx';
import { Button } from '../../parts/form.tsx';
import { KeyName } from '../key-name.tsx';
import { Facts, ScreenPage, Section, Tabs } from '../../parts/page.tsx';
import { minuteText } from '../../parts/time.tsx';
import { Audit } from './audit.tsx';
import { Forgotten } from './forgotten.tsx';
import { Installation } from './installation.tsx';
import { Keys } from './keys.tsx';
import { ProjectPage, Projects } from './project.tsx';
import './settings.css';

const SETTINGS_TABS: Readonly<Record<string, readonly [title: string, page: ComponentType]>> = {
  projects: ['Projects', Projects],
  keys: ['Admin keys', () => <Keys />],
  audit: ['Audit log', Audit],
  forgotten: ['Forgotten people', Forgotten],
  installation: ['Installation', Installation],
  session: ['Your session', OwnSession],
};

export function SettingsScreen() {
  const [, tab, id] = address.value.path;
  const open = tab ?? (isAdmin.value ? 'projects' : 'session');
  const tabs = Object.entries(SETTINGS_TABS).filter(([path]) => isAdmin.value || path === 'session');
  return (
    <ScreenPage title="Settings">
      <Tabs
        label="Settings"
        tabs={tabs.map(([path, [title]]) => ({ title, link: linkTo(['settings', path]), isOpen: path === open }))}
      />
      {isAdmin.value || open === 'session' ? <SettingsContent open={open} id={id} /> : <NeedsKey />}
    </ScreenPage>
  );
}

function SettingsContent({ open, id }: { readonly open: string; readonly id: string | undefined }) {
  if (open === 'projects' && id !== undefined) return <ProjectPage key={id} id={id} />;
  const Page = SETTINGS_TABS[open]?.[1];
  return Page === undefined ? <p>There is no such page of the settings.</p> : <Page />;
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
