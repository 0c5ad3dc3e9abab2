/** Messages as chats take them: a text in plain English, in which nothing that somebody wrote is markup or calls anybody. */

export type BodyFormat = 'json' | keyof typeof BODIES;

/** Discord takes 2,000 characters: half of them, for each may need a backslash. */
const MAX_CHARS = 990;
const MOST_NAMED = 5;

/** @param message The body as JSON, as it is documented. */
export function bodyAs(format: BodyFormat, message: string): string {
  if (format === 'json') return message;
  const { type, data } = JSON.parse(message) as { readonly type: string; readonly data: Data };
  const text = (TEXTS[type] ?? (() => data.text ?? type))(data).replace(/\p{Cc}+/gu, ' ');
  const short = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1).toWellFormed()}…` : text;
  return JSON.stringify(BODIES[format](short));
}

const SLACK: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const CARD = { $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4' };

const BODIES = {
  slack: (text: string) => ({ text: text.replace(/[&<>]/g, (one) => SLACK[one] ?? ''), mrkdwn: false }),
  teams: (text: string) => {
    // A TextRun knows no Markdown, which a TextBlock does.
    const content = { ...CARD, body: [{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] }] };
    const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
    return { type: 'message', attachments: [card] };
  },
  discord: (text: string) => ({
    content: text.replace(/[\\*_~`|<>[\]()#@:-]/g, String.raw`\$&`),
    allowed_mentions: { parse: [] },
  }),
};

type Person = Readonly<Record<'user_id' | 'anonymous_id' | 'internal_id' | 'change', string | null>>;

/** What is read of the member `data`, of whatever type. */
type Data = Readonly<
  Partial<Record<'text' | 'error', string> & Record<'missing' | 'surplus', Readonly<Record<string, number>>>>
> & {
  readonly audience?: { readonly name: string };
  readonly changes?: readonly Person[];
  readonly users?: readonly Person[];
  readonly waiting?: number;
};

/** Types whose `data` has no text. */
const TEXTS: Readonly<Record<string, (data: Data) => string>> = {
  'audience.changed': ({ audience, changes = [] }) => {
    const groups = Object.entries(Object.groupBy(changes, ({ change }) => change ?? ''));
    const texts = groups.map(([change, people = []]) => `${people.length} ${change} (${peopleNamed(people)})`);
    return `Audience ${audience?.name}: ${texts.join('; ')}.`;
  },
  'user.forgotten': ({ users = [] }) => `To be forgotten: ${peopleNamed(users)}.`,
  'dead_letter.waiting': ({ waiting, error }) => `Dead letters wait: ${waiting}, the newest because of ${error}`,
  'verification.differs': ({ missing, surplus }) =>
    `A verification found ${totalOf(missing)} missing and ${totalOf(surplus)} surplus messages.`,
  'endpoint.test': () => 'This is a test: Tidemark can send messages here.',
};

function peopleNamed(people: readonly Person[]): string {
  const names = people.slice(0, MOST_NAMED).map((one) => one.user_id ?? one.anonymous_id ?? one.internal_id);
  return `${names.join(', ')}${people.length > MOST_NAMED ? ` and ${people.length - MOST_NAMED} more` : ''}`;
}

function totalOf(counts: Readonly<Record<string, number>> = {}): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}
