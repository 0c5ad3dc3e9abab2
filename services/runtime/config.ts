import { resolve } from 'node:path';
import { TidemarkError } from './errors.ts';
import { secretFromFile, type Setting } from './settings/parsers.ts';
import { SETTINGS } from './settings/settings.ts';

export const SETTING_NAMES: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);

/** Every setting, checked. Read once, at the edge (main.ts, app/, cli/); everything else is passed what it needs. */
export type Config = { readonly [Name in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Name]['parse']> };

/**
 * Reads the environment; the empty one is a working configuration.
 *
 * @throws TidemarkError `CONFIG_INVALID`, its message naming every problem at once and no secret.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const dataDir = resolve(env['DATA_DIR'] || SETTINGS.dataDir.default);
  const read = (setting: Setting<unknown>): unknown => {
    const { name, secret, parse } = setting;
    const file = secret && env[`${name}_FILE`];
    try {
      const given = (file ? secretFromFile(file, env[name]) : env[name]) || setting.default;
      return parse(given.replace('$DATA_DIR', dataDir));
    } catch (error) {
      problems.push(`${file ? `${name}_FILE` : name}: ${shownOf(setting, env[name])} ${(error as Error).message}`);
      return undefined;
    }
  };
  const config = Object.fromEntries(Object.entries(SETTINGS).map(([key, setting]) => [key, read(setting)]));
  if (problems.length > 0) throw new TidemarkError('CONFIG_INVALID', problems.join('; '));
  return Object.freeze(config as Config);
}

function shownOf({ secret }: Pick<Setting<unknown>, 'secret'>, given: string | undefined): string {
  return secret ? 'the value given' : JSON.stringify(given);
}

/** The settings by their names as others may see them: of a URL no user and password, of a key that there is one. */
export function visibleSettings(config: Config): Readonly<Record<string, string>> {
  const pairs = Object.entries(SETTINGS).map(([key, { name, secret }]: [string, Setting<unknown>]) => {
    const text = String(config[key as keyof Config] ?? '');
    return [name, secret === true ? text.replace(name.endsWith('_URL') ? PASSWORD : /().+/s, '$1…') : text] as const;
  });
  return Object.fromEntries(pairs);
}

// Folders stay. What stands before the hosts of a URL goes, and so does all that is not surely a host: it may be a password.
const PASSWORD =
  /^(?!(?:log|pglite|chdb):[./])(?:([a-z]+:\/\/)(?:.*@)?(?=(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:,[\w.:[\]-]+)*(?:[/?][^@]*)?$)|.+)/s;
