/** A user in a line of a list: by the id that callers know, else by another. */
export interface NamedUser {
  readonly user_id: string | null;
  readonly anonymous_id: string | null;
  readonly internal_id: string;
}

export function UserName({ user }: { readonly user: NamedUser }) {
  if (user.user_id !== null) return <b class="user-name">{user.user_id}</b>;
  return (
    <span class="user-name">
      {user.anonymous_id ?? `${user.internal_id.slice(0, 16)}…`} <span class="quiet">anonymous</span>
    </span>
  );
}
