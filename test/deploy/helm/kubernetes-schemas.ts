/** Objects of Kubernetes against its schemas, as the package kubernetes-models has them: code that ajv made of each. */

interface Mismatch {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: object;
}

interface Validate {
  (object: unknown): boolean;
  readonly errors?: readonly Mismatch[] | null;
}

/**
 * What is wrong with an object, a line each. A schema lets members pass that it does not know, which the server drops or
 * refuses; here they are a problem.
 */
export async function schemaProblems(object: {
  readonly apiVersion: string;
  readonly kind: string;
}): Promise<string[]> {
  const { validate } = (await import(schemaOf(object))) as { readonly validate: Validate };
  const read = new Set<string>();
  validate(watched(object, '', read));
  return [
    ...(validate.errors ?? []).map(({ instancePath, schemaPath, params }) => {
      return `${instancePath} ${schemaPath} ${JSON.stringify(params)}`;
    }),
    ...membersOf(object, '')
      .filter((path) => !read.has(path))
      .map((path) => `${path} is not known`),
  ];
}

/** `apps/v1` and `Deployment`: the package calls it by the name of its Go type. */
function schemaOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const [version = '', group = 'core'] = apiVersion.split('/').toReversed();
  const words = [group.split('.')[0] ?? '', version].map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `kubernetes-models/_schemas/IoK8sApi${words.join('')}${kind}`;
}

/** The same object, which notes the path of each member that is asked for: a schema asks for all that it knows. */
function watched(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || !Object.hasOwn(target, name)) return member;
      read.add(pathOf(path, name));
      return watched(member, pathOf(path, name), read);
    },
  });
}

/** The path of every member, of lists too: a pointer of JSON. */
export function membersOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    return [pathOf(path, name), ...membersOf(member, pathOf(path, name))];
  });
}

export function memberAt(value: object, path: string): unknown {
  const names = path.split('/').slice(1);
  return names.reduce<unknown>((at, name) => Reflect.get(at as object, name.replaceAll('~1', '/')), value);
}

/** Names of labels have slashes. */
function pathOf(path: string, name: string): string {
  return `${path}/${name.replaceAll('/', '~1')}`;
}
