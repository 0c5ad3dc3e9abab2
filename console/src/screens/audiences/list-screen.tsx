/** `#/audiences/from-file`: a list of users is made of a file. `#/audiences/{id}/file`: replaced by another, or added to. */
import { useState } from 'preact/hooks';
import { ApiError, ask, operation } from '../../api/client.ts';
import { countOf } from '../../api/json.ts';
import type { SavedAudience } from '../../api/types.ts';
import { goTo, linkTo } from '../../api/address.ts';
import { Choice } from '../../parts/choice.tsx';
import { ChooseFile, DropAnywhere } from '../../parts/files/drop.tsx';
import { Field } from '../../parts/form.tsx';
import { Form, tellDone } from '../../parts/loading/change.tsx';
import { NoSuch, Ready, useAnswer, useLoad } from '../../parts/loading/use-load.tsx';
import { count, plural } from '../../parts/numbers.ts';
import { LinkButton, ScreenPage } from '../../parts/page.tsx';
import { changeAudience } from './updates.ts';
import { listDefinition, type ListFile, listIn, MOST_LINES, readList, type UserList } from './list-file.ts';
import { mayChangeAudiences } from '../../api/session.ts';

/** @param id That of a list that there is. */
export function ListScreen({ id }: { readonly id?: string }) {
  const [file, setFile] = useState<File>();
  const read = useLoad(file && `${file.name} ${file.lastModified} ${file.size}`, async () =>
    readList(await fileText(file)),
  );
  const saved = useAnswer(id === undefined ? undefined : operation('GET /v1/audiences/{id}', { path: { id } }));
  const title = id === undefined ? 'New audience from a file' : `${saved.value?.name ?? 'List'}: another file`;
  const form = (audience?: SavedAudience) =>
    audience !== undefined && listIn(audience.definition) === undefined ? (
      <NoSuch what="list" path="audiences" />
    ) : (
      <Ready of={read} what="the file">
        {(found) => <ListForm key={file?.name} file={found} name={file?.name ?? ''} audience={audience} />}
      </Ready>
    );
  return (
    <ScreenPage title={title} up={{ path: 'audiences', name: 'Audiences' }}>
      <DropAnywhere onFile={setFile} />
      {file === undefined && (
        <ChooseFile label="File with users" onFile={setFile}>
          A line for each user: an id, or an email. CSV with several columns works too. Up to {count(MOST_LINES)} lines.
        </ChooseFile>
      )}
      {file !== undefined &&
        (id === undefined ? (
          form()
        ) : (
          <Ready of={saved} what="the list">
            {form}
          </Ready>
        ))}
    </ScreenPage>
  );
}

const MOST_BYTES = 4_000_000;
const TOO_LARGE = `A list has at most ${count(MOST_LINES)} lines. Split the file, or leave out its other columns.`;

/** @throws ApiError where it is too large. */
async function fileText(file: File | undefined): Promise<string> {
  if (file !== undefined && file.size > MOST_BYTES)
    throw new ApiError({ status: 413, code: '', title: 'The file is too large', message: TOO_LARGE });
  return (await file?.text()) ?? '';
}

interface ListFormProps {
  readonly file: ListFile;
  /** The file's. */
  readonly name: string;
  readonly audience: SavedAudience | undefined;
}

function ListForm({ file: { columns, lines }, name, audience }: ListFormProps) {
  const before = audience && listIn(audience.definition);
  const [column, setColumn] = useState(columns[0]?.name ?? '');
  const [isAdded, setAdded] = useState(false);
  const values = columns.find((one) => one.name === column)?.values ?? [];
  const { list, choice } = useWhose(values, before);
  const all = isAdded && before ? [...new Set([...before.values, ...values])] : values;
  const save = async (fieldText: (field: string) => string): Promise<void> => {
    const id = await saveList(audience, fieldText('name'), { ...list, values: all });
    tellDone(`List saved: ${plural(all.length, 'line')}.`);
    goTo(linkTo(['audiences', id]));
  };
  return (
    <Form
      label="List"
      look="card narrow"
      action={audience === undefined ? 'Create the list' : 'Save the list'}
      isOff={all.length > MOST_LINES || all.length === 0}
      onSend={save}
      onCancel={() => goTo(linkTo(['audiences', ...(audience === undefined ? [] : [audience.id])]))}
    >
      {before === undefined && (
        <Field label="Name" name="name" required maxLength={200} defaultValue={name.replace(/\.\w+$/, '')} isFirst />
      )}
      {columns.length > 1 && (
        <Choice
          label="Column"
          value={column}
          options={columns.map((one) => [one.name, one.name])}
          onChoice={setColumn}
        />
      )}
      {choice}
      {before !== undefined && (
        <Choice
          label={`The list has ${plural(before.values.length, 'line')} now`}
          value={isAdded ? 'add' : 'replace'}
          options={{ replace: 'Replace them', add: 'Add to them' }}
          onChoice={(chosen) => setAdded(chosen === 'add')}
        />
      )}
      <Found list={list} lines={lines} />
      {all.length > MOST_LINES && (
        <p class="field-error">A list has at most {count(MOST_LINES)} lines: split it into several.</p>
      )}
    </Form>
  );
}

/** @returns The id of the audience. */
async function saveList(audience: SavedAudience | undefined, name: string, list: UserList): Promise<string> {
  const definition = listDefinition(list);
  if (audience === undefined)
    return (await ask(operation('POST /v1/audiences', { body: { name, definition, refresh: '1h' } }))).id;
  const path = { id: audience.id };
  await changeAudience(audience, operation('PATCH /v1/audiences/{id}', { path, body: { definition } }));
  return audience.id;
}

/** Whose the lines are: in a new list they are taken for what finds more users, else for what they look like, unless somebody chooses. */
function useWhose(values: readonly string[], before: UserList | undefined) {
  const [chosen, setChosen] = useState<string>();
  const { value: catalog } = useAnswer(operation('GET /v1/catalog/traits'));
  const email = catalog?.traits.find(({ name }) => /e-?mail/i.test(name))?.name;
  const byId = { trait: undefined, values };
  const byEmail = { trait: email, values: email === undefined ? [] : values };
  const [ids, emails] = [useKnown(byId), useKnown(byEmail)];
  if (before !== undefined) return { list: { ...before, values }, choice: null };
  const more = (emails ?? 0) - (ids ?? 0) || Number(email !== undefined && values[0]?.includes('@'));
  const isEmail = chosen === undefined ? more > 0 : chosen === 'email';
  const choice = (
    <Choice
      label="Its lines are"
      value={isEmail ? 'email' : 'id'}
      options={{ id: `user ids (${shortText(ids)})`, email: `emails (${shortText(emails)})` }}
      off={email === undefined ? ['email'] : []}
      onChoice={setChosen}
    />
  );
  return { list: isEmail ? byEmail : byId, choice };
}

function Found({ list, lines }: { readonly list: UserList; readonly lines: number }) {
  const known = useKnown(list);
  const rest = lines - list.values.length;
  return (
    <p role="status">
      {plural(lines, 'line')}
      {rest > 0 && `, ${count(rest)} of them doubled or empty`}.{' '}
      {known !== undefined && `${knownText(known, list.values.length)}.`}
    </p>
  );
}

function knownText(known: number, lines: number): string {
  const rest = known < lines ? ', others count once they come' : '';
  return `${plural(known, 'is a known user', 'are known users')}${rest}`;
}

function shortText(known: number | undefined): string {
  return known === undefined ? 'counting…' : `${count(known)} known`;
}

/** How many users of a list there are. */
function useKnown(list: UserList): number | undefined {
  const isAsked = list.values.length > 0 && list.values.length <= MOST_LINES;
  const body = { definition: listDefinition(list), sample: 0 };
  const { value } = useAnswer(isAsked ? operation('POST /v1/audiences/preview', { body }) : undefined);
  return isAsked ? value && countOf(value.count) : 0;
}

/** How many lines a list has, how many are users, and the way to another file. */
export function ListLines({ audience: { id, definition } }: { readonly audience: SavedAudience }) {
  const list = listIn(definition) ?? NONE;
  const known = useKnown(list);
  if (list === NONE) return null;
  return (
    <p class="row list-lines">
      <span>
        A list of {plural(list.values.length, 'line')}
        {known !== undefined && `: ${knownText(known, list.values.length)}`}.
      </span>
      {mayChangeAudiences.value && (
        <LinkButton label="Replace or add from a file" link={linkTo(['audiences', id, 'file'])} />
      )}
    </p>
  );
}

const NONE = { trait: undefined, values: [] };
