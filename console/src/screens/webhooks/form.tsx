import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import type { Answer, Endpoint, SavedAudience } from '../../api/types.ts';
import { isOnKafka } from '../../api/session.ts';
import { CheckList, type CheckListProps, CheckMenu, Choice } from '../../parts/choice.tsx';
import { Form } from '../../parts/loading/change.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { Check, Field } from '../../parts/form.tsx';
import { spelled } from '../../parts/user-cell.tsx';
import { knownNames } from '../builder/known.ts';
import { traitsFor } from '../user-columns.ts';
import { type AudienceNames, FORMATS, nameOf, TOPIC_URL, WEBHOOK_TYPES } from './words.ts';
import { NewSecret } from '../../parts/copy-as.tsx';

interface WebhookFormProps {
  /** What is changed; undefined where one is made. */
  readonly endpoint?: Endpoint;
  /** The only one that it is for: nothing is asked that follows from that. */
  readonly only?: SavedAudience | undefined;
  /** Those that can be chosen. */
  readonly names?: AudienceNames | undefined;
  /** On the button. */
  readonly action: string;
  /** Told the members that the form has, as JSON. */
  readonly onSave: (body: string) => Promise<void>;
  readonly onClose: () => void;
}

export function WebhookForm({ endpoint, only, names = new Map(), action, onSave, onClose }: WebhookFormProps) {
  const [chosen, setChosen] = useState(only === undefined ? (endpoint?.audiences ?? null) : [only.id]);
  const [types, setTypes] = useState<readonly string[]>(endpoint?.types ?? ['audience.changed']);
  const [traits, setTraits] = useState(() => (only === undefined ? traitsOf(endpoint) : traitsFor(only.definition)));
  const [format, setFormat] = useState(formatOf(endpoint));
  const [isInitial, setInitial] = useState(only !== undefined || endpoint?.initial === 'members');
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const description = textOf('description');
    const members = {
      url: textOf('url'),
      format,
      types,
      description: description === '' ? null : description,
      traits: traits.length === 0 ? null : traits.join(','),
      audiences: chosen,
      initial: isInitial ? 'members' : 'none',
    };
    await onSave(JSON.stringify(members));
  };
  return (
    <Form
      label="Webhook"
      look="card setting-form"
      action={action}
      isOff={chosen?.length === 0 || types.length === 0}
      onSend={save}
      onCancel={onClose}
    >
      <UrlField url={endpoint?.url} format={format} onFormat={setFormat} />
      {only === undefined && (
        <>
          <Field
            label="Description"
            name="description"
            maxLength={200}
            placeholder="none"
            defaultValue={endpoint?.description ?? ''}
          />
          <fieldset>
            <legend class="label">What it sends</legend>
            <CheckList options={Object.entries(WEBHOOK_TYPES)} chosen={types} onChoice={setTypes} />
          </fieldset>
          <AudienceChoice chosen={chosen} names={names} onChoice={setChosen} />
        </>
      )}
      <TraitChoice chosen={traits} onChoice={setTraits} />
      <Check label="Begin with the users who are in the audience already" isOn={isInitial} onChange={setInitial} />
    </Form>
  );
}

/** As they are spelled in the parameter `traits`. */
function traitsOf(endpoint: Endpoint | undefined): readonly string[] {
  return (endpoint?.traits ?? '').split(/(?<!\\),/).filter((name) => name !== '');
}

/** The traits of the project, and those within them. */
function TraitChoice({ chosen, onChoice }: Omit<CheckListProps<string>, 'options'>) {
  const catalog = useAnswer(operation('GET /v1/catalog/traits', { query: { limit: 200 } }));
  const known = knownNames(catalog.value?.traits ?? []).map(({ path }) => spelled(path));
  const options = [...new Set([...known, ...chosen])].map((name) => [name, name] as const);
  const label = 'Traits sent with each user';
  return (
    <div>
      <span class="label">{label}</span>
      <CheckMenu
        label={label}
        text={chosen.join(', ') || 'None'}
        options={options}
        chosen={chosen}
        onChoice={onChoice}
      />
    </div>
  );
}

function formatOf(endpoint: Endpoint | undefined): string {
  return endpoint?.format ?? 'json';
}

interface UrlFieldProps {
  readonly url?: string | undefined;
  readonly format: string;
  readonly onFormat: (format: string) => void;
}

function UrlField({ url = '', format, onFormat }: UrlFieldProps) {
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://surveys.example.com/hooks/tidemark"
        defaultValue={url}
        isFirst
      />
      {isOnKafka.value && (
        <p class="quiet">
          Or <code>{TOPIC_URL}</code>: a record of each change, on the Kafka of this installation.
        </p>
      )}
      <Choice label="What it takes" value={format} options={FORMATS} onChoice={onFormat} />
    </>
  );
}

interface AudienceChoiceProps {
  /** Ids; null for all, also those that are made later. */
  readonly chosen: readonly string[] | null;
  readonly names: AudienceNames;
  readonly onChoice: (chosen: readonly string[] | null) => void;
}

const WHICH = { all: 'All, also those made later', some: 'Only these' };

function AudienceChoice({ chosen, names, onChoice }: AudienceChoiceProps) {
  return (
    <>
      <Choice
        label="Audiences"
        value={chosen === null ? 'all' : 'some'}
        options={WHICH}
        onChoice={(which) => onChoice(which === 'all' ? null : [])}
      />
      {chosen !== null && (
        <fieldset class="audience-choice">
          <legend class="visually-hidden">Audiences</legend>
          <CheckList options={[...names]} chosen={chosen} onChoice={onChoice} />
          {names.size === 0 && <p class="quiet">There are no audiences yet.</p>}
        </fieldset>
      )}
    </>
  );
}

interface NewWebhookProps {
  readonly isOpen: boolean;
  /** The only audience that it is for. */
  readonly only?: SavedAudience;
  readonly names?: AudienceNames;
  /** Told that one was made, and that none is to be. */
  readonly onMade?: () => void;
  readonly onClose: () => void;
}

/** The form of a new webhook while it is open, and then its secret, until somebody has taken it. */
export function NewWebhook({ isOpen, only, names, onMade, onClose }: NewWebhookProps) {
  const [made, setMade] = useState<Answer<'POST /v1/endpoints'>>();
  const create = async (body: string): Promise<void> => {
    setMade(await ask(operation('POST /v1/endpoints', { body })));
    onClose();
    onMade?.();
  };
  return (
    <>
      {isOpen && <WebhookForm only={only} names={names} action="Create webhook" onSave={create} onClose={onClose} />}
      {made !== undefined && made.secret !== null && (
        <NewSecret
          title="The signing secret"
          name={nameOf(made)}
          what="the secret"
          text={made.secret}
          onClose={() => setMade(undefined)}
        />
      )}
    </>
  );
}
