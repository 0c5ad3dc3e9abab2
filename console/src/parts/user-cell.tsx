/** A user in a list: the initials, what people call them, and the id beside it. */
import type { Json } from '../api/json.ts';
import { project } from '../api/session.ts';
import './user-cell.css';

/** The traits that the project calls its users by: the first that is a text. */
export function nameTraits(): readonly string[] {
  return project.value?.name_traits ?? [];
}

/** The same as the parameter `traits` of a list, which then has names; undefined where there are none. */
export function namesWanted(): string | undefined {
  const names = nameTraits().map((name) => spelled([name]));
  return names.length === 0 ? undefined : names.join(',');
}

/** A trait as the parameter `traits` spells it, and as lists name it: a dot leads into an object. */
export function spelled(path: readonly string[]): string {
  return path.map((key) => key.replaceAll(/[,.*\\]/g, String.raw`\$&`)).join('.');
}

export interface ListedUser {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
  /** Left out where the list did not ask for any. */
  readonly traits?: Readonly<Record<string, Json>>;
}

interface UserCellProps {
  readonly user: ListedUser;
  /** Without the id beside the name, which its title has then: for lines with little room. */
  readonly isBrief?: boolean;
}

export function UserCell({ user, isBrief = false }: UserCellProps) {
  const name = displayName(user);
  const id = user.user_id ?? user.anonymous_id ?? `${user.internal_id.slice(0, 16)}…`;
  return (
    <span class="user-cell" title={isBrief ? id : undefined}>
      <i aria-hidden="true" style={{ '--hue': hueOf(user) }}>
        {initialsOf(name ?? id)}
      </i>
      <span>
        <b>{name ?? id}</b>
        {!isBrief && name !== undefined && name !== id && <span class="quiet small">{id}</span>}
        {!isBrief && user.user_id === null && <span class="quiet small">anonymous</span>}
      </span>
    </span>
  );
}

/** What people call a user; undefined of one who is known by ids alone. */
export function displayName({ traits = {} }: Pick<ListedUser, 'traits'>): string | undefined {
  const names = nameTraits().flatMap((name) => [traits[spelled([name])], traits[name]]);
  return names.find((name): name is string => typeof name === 'string' && name.trim() !== '');
}

/** The first letters of the first word and the last: `DM` of Dennis Meyer. An address of mail has no words. */
function initialsOf(name: string): string {
  const words = name.includes('@') ? [name] : name.trim().split(/\s+/);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word = '') => (/[\p{L}\p{N}]/u.exec(word)?.[0] ?? '').toUpperCase()).join('');
}

const HUE_STEP = 30;

/** One of twelve colours, the same for a user everywhere. */
function hueOf({ internal_id: id }: ListedUser): number {
  return (Number.parseInt(id.slice(0, 4), 16) * HUE_STEP) % 360;
}
