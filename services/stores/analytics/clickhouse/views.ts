/** The plain views as they are to be when other generations than the first answer. Pure but for reading the schemas. */
import { readMigrations, statementsOf } from '../../../runtime/migrate.ts';
import { CLICKHOUSE_SCHEMAS } from './migrations.ts';
import { sqlString } from './deployment.ts';

/** Databases, sqlString, by whom they answer for. */
export interface LiveDatabases {
  readonly all: string;
  readonly own: ReadonlyMap<string, string>;
}

export interface ViewStatement {
  readonly name: string;
  /** The comment that the view has once it is so. */
  readonly comment: string;
  readonly sql: string;
}

interface View {
  readonly name: string;
  /** What follows `AS`. */
  readonly body: string;
}

const VIEW = /^CREATE OR REPLACE VIEW (\w+)\s+AS\s/im;
const PARAMETER = /\{(\w+):\s*([^{}]+)\}/g;

/**
 * The statements that make the views of the database `base` show what is live. They are to be run where a table without
 * a database is one of `live.all`.
 */
export async function viewStatements(base: string, live: LiveDatabases): Promise<readonly ViewStatement[]> {
  const views = viewsOf((await readMigrations(CLICKHOUSE_SCHEMAS)).flatMap(({ sql }) => statementsOf(sql)));
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

/** Each as it was defined last, in that order. */
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

/** Projects that have a generation of their own are left out of everybody's, and come from theirs. */
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
