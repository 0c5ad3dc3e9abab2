/** The rows of one user, or of a person with the ids that are theirs: a condition on `user`. Pure. */
import { userNumber } from './columns.ts';

/** A user by the internal id. */
export interface ProjectUser {
  readonly projectId: string;
  readonly userKey: string;
  /** The numbers of those who are known by an anonymous id that is this user's; none by default. */
  readonly joined?: readonly string[];
}

export function ofUser({ joined = [] }: ProjectUser): string {
  const users = joined.length === 0 ? 'user = {user:UInt128}' : `user IN CAST({users:Array(String)}, 'Array(UInt128)')`;
  return `project_id = {projectId:String} AND ${users}`;
}

/** The values of `ofUser`. */
export function userParams({
  projectId,
  userKey,
  joined = [],
}: ProjectUser): Readonly<Record<string, string | readonly string[]>> {
  const user = userNumber(userKey);
  return { projectId, ...(joined.length === 0 ? { user } : { users: [user, ...joined] }) };
}

/** Without the ids that are theirs. */
export function alone({ projectId, userKey }: ProjectUser): ProjectUser {
  return { projectId, userKey };
}
