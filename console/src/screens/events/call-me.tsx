/** A watch on what a chart counts: when to call, and whom. */
import { useState } from 'preact/hooks';
import { ask, operation } from '../../api/client.ts';
import { CheckList, Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/form.tsx';
import { Form, tellDone } from '../../parts/loading/change.tsx';
import { useAnswer } from '../../parts/loading/use-load.tsx';
import { nameOf, TOPIC_URL } from '../webhooks/words.ts';

export interface CallMeProps {
  readonly event: string;
  /** JSON: what is counted. */
  readonly question: string;
  readonly onClose: () => void;
}

const RULES: Readonly<Record<string, string>> = {
  none_for: 'None came for some minutes',
  below: 'Fewer came within an hour than',
  above: 'More came within an hour than',
  changed_by: 'It differs from the same hour a week ago by',
};
const UNITS: Readonly<Record<string, string>> = {
  none_for: 'Minutes',
  below: 'Events',
  above: 'Events',
  changed_by: 'Percent',
};

export function CallMe({ event, question, onClose }: CallMeProps) {
  const { value } = useAnswer(operation('GET /v1/endpoints', { query: { limit: 100 } }));
  const [rule, setRule] = useState('none_for');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const webhooks = (value?.endpoints ?? []).filter(({ url }) => url !== TOPIC_URL);
  const save = async (textOf: (name: string) => string): Promise<void> => {
    const name = textOf('name');
    const body = `{"question":${question},"rule":{"${rule}":${Number(textOf('number'))}},"endpoints":${JSON.stringify(chosen)}}`;
    await ask(operation('PUT /v1/watches/{name}', { path: { name }, body }));
    tellDone('Saved. Today lists it.');
    onClose();
  };
  return (
    <Dialog title="Call me when…" onClose={onClose}>
      {(close) => (
        <Form action="Save" isOff={chosen.length === 0} onSend={save} onCancel={close}>
          <Choice label="When" value={rule} options={RULES} onChoice={setRule} />
          <Field
            key={rule}
            label={UNITS[rule] ?? ''}
            name="number"
            type="number"
            required
            min={rule === 'none_for' ? 5 : rule === 'changed_by' ? 1 : 0}
            max={rule === 'none_for' ? 1_440 : undefined}
            defaultValue="30"
            isFirst
          />
          <Field label="Name" name="name" required maxLength={100} defaultValue={event.slice(0, 100)} />
          <fieldset>
            <legend class="label">Who is told</legend>
            <CheckList
              options={webhooks.map((one) => [one.id, nameOf(one)] as const)}
              chosen={chosen}
              onChoice={setChosen}
            />
            {value !== undefined && webhooks.length === 0 && (
              <p class="quiet">
                There are no <a href="#/webhooks">webhooks</a> yet: make one, for Slack, Teams, Discord or a program.
              </p>
            )}
          </fieldset>
        </Form>
      )}
    </Dialog>
  );
}
