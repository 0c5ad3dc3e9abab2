import { useState } from 'preact/hooks';
import type { Endpoint } from '../../api/types.ts';
import { isOnKafka } from '../../api/session.ts';
import { CheckList, Choice } from '../../parts/choice.tsx';
import { Form } from '../../parts/loading/change.tsx';
import { Check, Field } from '../../parts/form.tsx';
import { type AudienceNames, TOPIC_URL, WEBHOOK_TYPES } from './words.ts';

interface WebhookFormProps {
  /** What is changed; undefined where one is made. */
  readonly endpoint?: Endpoint;
  readonly names: AudienceNames;
  /** On the button. */
  readonly action: string;
  /** Told the members that the form has, as JSON. */
  readonly onSave: (body: string) => Promise<void>;
  readonly onClose: () => void;
}

export function WebhookForm({ endpoint, names, action, onSave, onClose }: WebhookFormProps) {
  const [chosen, setChosen] = useState(endpoint?.audiences ?? null);
  const [types, setTypes] = useState<readonly string[]>(endpoint?.types ?? ['audience.changed']);
  const [isInitial, setInitial] = useState(endpoint?.initial === 'members');
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const [description, traits] = [textOf('description'), textOf('traits')];
    const members = {
      url: textOf('url'),
      types,
      description: description === '' ? null : description,
      traits: traits === '' ? null : traits.replaceAll(/\s*,\s*/g, ','),
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
      <TextFields endpoint={endpoint} />
      <fieldset>
        <legend class="label">What it sends</legend>
        <CheckList options={Object.entries(WEBHOOK_TYPES)} chosen={types} onChoice={setTypes} />
      </fieldset>
      <AudienceChoice chosen={chosen} names={names} onChoice={setChosen} />
      <Field
        label="Traits sent with each user"
        name="traits"
        placeholder="email, name"
        defaultValue={endpoint?.traits ?? ''}
      />
      <Check label="Begin with the users who are in the audience already" isOn={isInitial} onChange={setInitial} />
    </Form>
  );
}

function TextFields({ endpoint }: { readonly endpoint: Endpoint | undefined }) {
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        required
        maxLength={2_048}
        placeholder="https://surveys.example.com/hooks/tidemark"
        defaultValue={endpoint?.url ?? ''}
        isFirst
      />
      {isOnKafka.value && (
        <p class="quiet">
          Or <code>{TOPIC_URL}</code>: a record of each change, on the Kafka of this installation.
        </p>
      )}
      <Field
        label="Description"
        name="description"
        maxLength={200}
        placeholder="none"
        defaultValue={endpoint?.description ?? ''}
      />
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
