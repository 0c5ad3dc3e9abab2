/** What of the address narrows the list, and how the service is asked for it. Pure. */

export type LetterFilter = ReturnType<typeof filterIn>;

export const STATES = ['waiting', 'edited', 'replayed', 'dropped', 'any'] as const;

/** In the address, `project` is the project that is looked at. A day is one in UTC. */
export const PARAMETERS = { reader: 'reader', topic: 'topic', code: 'code', project: 'of', day: 'day' } as const;

export function filterIn(query: URLSearchParams) {
  const given = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    reader: given(PARAMETERS.reader),
    topic: given(PARAMETERS.topic),
    code: given(PARAMETERS.code),
    project: given(PARAMETERS.project),
    day: given(PARAMETERS.day),
    state: STATES.find((state) => state === given('state')) ?? 'waiting',
  };
}

export function isFiltered({ state, ...filter }: LetterFilter): boolean {
  return state !== 'waiting' || Object.values(filter).some((value) => value !== undefined);
}

/** The filter as the service's parameters, and as members of a selection. */
export function selectionOf({ reader, topic, code, project, day }: LetterFilter): Record<string, string> {
  const selection = { reader, topic, project, error: code, ...(day !== undefined && periodOf(day)) };
  return Object.fromEntries(
    Object.entries(selection).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function periodOf(day: string): { since: string; until?: string } {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000);
  return Number.isNaN(next.getTime()) ? { since: day } : { since: day, until: next.toISOString().slice(0, 10) };
}
