import { session, signOut } from '../../frame/session.ts';
import { Facts } from '../../parts/facts.tsx';
import { Section } from '../../parts/page.tsx';
import { minuteText } from '../../parts/time.tsx';
import { Button } from '../../parts/form.tsx';

/** What the reader signed in with, and how that ends. */
export function OwnSession() {
  if (typeof session.value === 'string') return null;
  const { key_id: key, scopes, projects, expires_at: end } = session.value;
  const facts = {
    Key: key,
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
