/** The three steps of a project that is new, each with a tick once it is done. */
import { useState } from 'preact/hooks';
import { ask, operation, SERVICE } from '../../api/client.ts';
import type { LiveRow } from '../../api/types.ts';
import { linkTo } from '../../api/address.ts';
import { isAdmin, mayChangeAudiences, project } from '../../api/session.ts';
import { Command, NewSecret } from '../../parts/copy-as.tsx';
import { ChangeButton } from '../../parts/loading/change.tsx';
import { DocsLink, Section } from '../../parts/page.tsx';
import { Button } from '../../parts/form.tsx';
import { Arrived } from './arrived.tsx';
import { type Language, LANGUAGES, snippetOf } from './snippets.ts';

export type DoneSteps = Readonly<Record<'hasEvent' | 'hasIdentify' | 'hasAudience', boolean>>;

interface FirstStepsProps {
  readonly steps: DoneSteps | 'none';
  /** What came since the page listens, and the newest before. */
  readonly rows: readonly LiveRow[];
  readonly isListening: boolean;
  readonly onHide: () => void;
}

/**
 * Nothing where all of it is done, or it was hidden. A key that was made here stays until the person says that it is kept:
 * no other copy of it is anywhere.
 */
export function FirstSteps({ steps, rows, isListening, onHide }: FirstStepsProps) {
  const [key, setKey] = useState<string>();
  const [isKept, setKept] = useState(false);
  const secret = key !== undefined && !isKept && (
    <NewSecret title="The new key" name="Write key" what="the key" text={key} onClose={() => setKept(true)} />
  );
  if (steps === 'none' || !Object.values(steps).includes(false)) return secret || null;
  const { hasEvent, hasIdentify, hasAudience } = steps;
  const isWaiting = !(hasEvent && hasIdentify);
  return (
    <Section
      id="get-started"
      title="Get started"
      look="card get-started"
      actions={<Button label="Hide" look="plain" onClick={onHide} />}
    >
      <ol class="ticks">
        <FirstStep name="Send a first event" isDone={hasEvent}>
          What a user did, such as <b>Order Completed</b>.
        </FirstStep>
        <FirstStep name="Identify a first user" isDone={hasIdentify}>
          What you know about a user: name, email, plan.
        </FirstStep>
        <FirstStep name="Save a first audience" isDone={hasAudience}>
          A group of users, counted for you: those on <b>pro</b> who ordered twice.{' '}
          {mayChangeAudiences.value && <a href={linkTo(['audiences', 'new'])}>New audience</a>}
        </FirstStep>
      </ol>
      {isWaiting && key === undefined && <WriteKey onMade={setKey} />}
      {secret}
      {isWaiting && <Snippets text={key} />}
      <Arrived rows={rows} isListening={isListening} />
    </Section>
  );
}

interface StepProps {
  readonly name: string;
  readonly isDone: boolean;
  readonly children: preact.ComponentChildren;
}

function FirstStep({ name, isDone, children }: StepProps) {
  return (
    <li class={isDone ? 'done' : ''}>
      <b>{name}</b> {isDone && <span class="visually-hidden">Done</span>}
      <p class="quiet small">{children}</p>
    </li>
  );
}

/** What sends both, with the key filled in where one was made here. */
function Snippets({ text: key = 'YOUR_WRITE_KEY' }: { readonly text: string | undefined }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <>
      <div class="row" role="group" aria-label="Language">
        {LANGUAGES.map((one) => (
          <Button label={one} key={one} aria-pressed={one === language} onClick={() => setLanguage(one)} />
        ))}
        <span class="quiet small">
          SDKs of Segment, RudderStack and others work too: <DocsLink path="docs/sdks.md">SDKs</DocsLink>
        </span>
      </div>
      <Command name={language} text={snippetOf(language, SERVICE.origin + SERVICE.pathname, key)} />
    </>
  );
}

function WriteKey({ onMade }: { readonly onMade: (key: string) => void }) {
  const id = project.value?.id;
  if (!isAdmin.value || id === undefined) {
    return (
      <p>
        You need a write key: run <code>./tidemark key create --scope write</code>, or ask someone who has an admin key.
      </p>
    );
  }
  const body = { name: 'First events', scopes: ['write'] } as const;
  const make = async (): Promise<void> =>
    onMade((await ask(operation('POST /v1/admin/projects/{id}/keys', { path: { id }, body }))).key);
  return (
    <p class="row">
      <ChangeButton label="Make a write key and fill it in" look="primary" change={make} />
    </p>
  );
}
