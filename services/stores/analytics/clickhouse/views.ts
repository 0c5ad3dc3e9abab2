/**
 * The definitions of the plain views when other generations than the first are live. Pure, except for reading schemas.
 */
import { readMigrations, statementsOf } from '../../../runtime/migrate.ts';
import { CLICKHOUSE_SCHEMAS } from './migrations.ts';
import { sqlString } from './deployment.ts';

/** The live databases: that of all projects, and those of projects with a generation of their own. */
export interface LiveDatabases {
  readonly all: string;
  readonly own: ReadonlyMap<string, string>;
}

export interface ViewStatement {
  readonly name: string;
  /** The comment of the view that identifies this definition. */
  readonly comment: string;
  readonly sql: string;
}

interface View {
  readonly name: string;
  /** The query after `AS`. */
  readonly body: string;
}

const VIEW = /^CREATE OR REPLACE VIEW (\w+)\s+AS\s/im;
const PARAMETER = /\{(\w+):\s*([^{}]+)\}/g;

/** They show the history of audiences, which the first generation alone has. */
const OF_HISTORY: ReadonlySet<string> = new Set(['audience_members_now']);

/**
 * The statements that make the views of the database `base` show the live generations. They must run where a table name
 * without a database refers to `live.all`.
 */
export async function viewStatements(base: string, live: LiveDatabases): Promise<readonly ViewStatement[]> {
  const all = viewsOf((await readMigrations(CLICKHOUSE_SCHEMAS)).flatMap(({ sql }) => statementsOf(sql)));
  const views = all.filter(({ name }) => !OF_HISTORY.has(name));
  const comment = commentOf(base, live);
  return views.map((view) => {
    const create = `CREATE OR REPLACE VIEW ${base}.${view.name} AS\n${bodyOf(view, base, live)}`;
    return { name: view.name, comment, sql: comment === '' ? create : `${create}\nCOMMENT ${sqlString(comment)}` };
  });
}

/** What a view says of itself: nothing where it shows the database in which it lies, as the schemas make it. */
function commentOf(base: string, { all, own }: LiveDatabases): string {
  if (all === base && own.size === 0) return '';
  return [`shows ${all}`, ...[...own].map(([id, database]) => `of project ${id} ${database}`)].join(', ');
}

/** The last definition of each view, in that order. */
export function viewsOf(statements: readonly string[]): readonly View[] {
  const views = new Map<string, View>();
  for (const statement of statements) {
    const match = VIEW.exec(statement);
    if (match?.[1] === undefined) continue;
    views.delete(match[1]);
    views.set(match[1], { name: match[1], body: statement.slice(match.index + match[0].length) });
  }
  return [...views.values()];
}

/** Projects with a live generation of their own are excluded from that of all projects and read from their own. */
function bodyOf({ name, body }: View, base: string, { all, own }: LiveDatabases): string {
  if (own.size === 0) return body;
  const parameters = new Map([...body.matchAll(PARAMETER)].map(([text, parameter = '']) => [parameter, text]));
  const call = parameters.size === 0 ? '' : `(${[...parameters].map(([to, text]) => `${to} = ${text}`).join(', ')})`;
  const project = parameters.get('project_id') ?? parameters.get('project') ?? 'project_id';
  const others = [...own.keys()].map(sqlString).join(', ');
  const everybody = all === base ? `(${body}) AS everybody` : `${all}.${name}${call}`;
  return [
    `SELECT * FROM ${everybody} WHERE ${project} NOT IN (${others})`,
    ...[...own].map(([id, database]) => {
      const theirs = database === base ? `(${body}) AS theirs` : `${database}.${name}${call}`;
      return `SELECT * FROM ${theirs} WHERE ${project} = ${sqlString(id)}`;
    }),
  ].join('\nUNION ALL\n');
}
