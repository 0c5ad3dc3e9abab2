/** A stream of users in the form that was asked for: their lines with traits beside them, or as CSV. */
import { csvLine } from '../../../schemas/csv-line.ts';
import { MAX_PAGE_CHARS } from '../../questions/query-budget.ts';
import type { TraitValues } from '../../stores/profiles/profile.ts';
import type { ProfileReader } from '../../stores/profiles/profile-reader.ts';
import type { Answer } from '../../http/route.ts';
import { csvAnswer, ndjsonAnswer, type NdjsonOptions, PassedOn } from '../ndjson.ts';
import { type Checked, refuseParameter } from '../query.ts';
import {
  type TraitChoice,
  NO_TRAITS,
  readTraitChoice,
  traitCell,
  traitColumns,
  withTraits,
} from '../../stores/profiles/trait-choice.ts';

export interface TraitsParts {
  readonly profiles: ProfileReader;
}

/** What a caller wants to have of each user, and how. */
export interface UserForm {
  readonly format: 'ndjson' | 'csv';
  readonly traits: TraitChoice;
}

export function readUserForm(query: {
  readonly format: UserForm['format'];
  readonly traits?: string;
}): Checked<UserForm> {
  const traits = readTraitChoice(query.traits);
  if (!traits.ok) return refuseParameter('traits', traits.message);
  return { ok: true, value: { format: query.format, traits: traits.value } };
}

interface UserLinesOptions extends TraitsParts {
  readonly projectId: string;
  readonly traits: TraitChoice;
  /** The members of a line that become the columns of CSV; null for NDJSON. */
  readonly columns: readonly string[] | null;
}

/** Streams users in the form that was asked for. @throws as `traitsPage`. */
export async function usersAnswer(
  lines: AsyncIterable<Uint8Array>,
  { format, traits }: UserForm,
  {
    columns,
    end,
    headers = {},
    ...options
  }: Omit<UserLinesOptions, 'traits'> & { readonly columns: readonly string[] } & NdjsonOptions,
): Promise<Answer> {
  if (format === 'csv') return csvAnswer(await UserLines.begin(lines, { ...options, traits, columns }), headers);
  const users = traits === NO_TRAITS ? lines : await UserLines.begin(lines, { ...options, traits, columns: null });
  return ndjsonAnswer(users, { end, headers });
}

/** How many users' traits are read at once. */
const USERS_OF_A_READING = 1_000;

/** A line as analytics has it. */
interface UserLine {
  readonly text: string;
  readonly members: Readonly<Record<string, string | number | null>>;
}

/** Reads the lines of some users, then their traits, and so on: those of one reading are in memory. */
class UserLines extends PassedOn {
  readonly #options: UserLinesOptions;
  readonly #decoder = new TextDecoder();
  #waiting: UserLine[] = [];
  #begun = '';
  #ended = false;
  #head: string;
  #first: IteratorResult<Uint8Array> | undefined;

  private constructor(chunks: AsyncIterable<Uint8Array>, options: UserLinesOptions) {
    super(chunks);
    this.#options = options;
    const { columns, traits } = options;
    this.#head = columns === null ? '' : `${csvLine([...columns, ...traitColumns(traits)])}\n`;
  }

  /** Resolves once the first are read: what fails until then can still be refused. @throws as `traitsPage`. */
  static async begin(chunks: AsyncIterable<Uint8Array>, options: UserLinesOptions): Promise<UserLines> {
    const lines = new UserLines(chunks, options);
    try {
      lines.#first = await lines.next();
      return lines;
    } catch (error) {
      await lines.return();
      throw error;
    }
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    while (!this.#ended && this.#waiting.length < USERS_OF_A_READING) await this.#read();
    const users = this.#waiting.slice(0, USERS_OF_A_READING);
    if (users.length === 0 && this.#head === '') return { done: true, value: undefined };
    const found = await this.#traitsOf(users);
    this.#waiting = this.#waiting.slice(found.length);
    const text = this.#head + found.map((values, index) => this.#lineOf(users[index] as UserLine, values)).join('');
    this.#head = '';
    return { done: false, value: Buffer.from(text) };
  }

  async #read(): Promise<void> {
    const result = await this.source.next();
    this.#ended = result.done === true;
    if (result.done === true) return;
    const lines = (this.#begun + this.#decoder.decode(result.value, { stream: true })).split('\n');
    this.#begun = lines.pop() ?? '';
    for (const text of lines) this.#waiting.push({ text, members: JSON.parse(text) as UserLine['members'] });
  }

  /** Fewer than there are users where their traits are wide. */
  async #traitsOf(users: readonly UserLine[]): Promise<readonly TraitValues[]> {
    const { profiles, projectId, traits } = this.#options;
    if (users.length === 0 || traits.paths.length === 0) return users.map(() => []);
    const keys = users.map(({ members }) => String(members['internal_id']));
    return profiles.traitsPage(projectId, keys, traits.paths, MAX_PAGE_CHARS);
  }

  #lineOf({ text, members }: UserLine, values: TraitValues): string {
    const { columns, traits } = this.#options;
    if (columns === null) return `${withTraits(text, traits, values)}\n`;
    const own = columns.map((column) => members[column]?.toString() ?? null);
    return `${csvLine([...own, ...values.map(traitCell)])}\n`;
  }
}
