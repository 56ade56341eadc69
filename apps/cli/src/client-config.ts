import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { parseBoolean } from '@lateen/kernel';

/** Keys of the file that `velero client config set` and `lateen client config set` write (docs/reference/cli.md section 1). */
export const clientConfigKeys = ['namespace', 'features', 'cacert', 'colorized'] as const;
export type ClientConfigKey = (typeof clientConfigKeys)[number];

/** The file's content: the known keys, and keys that other programs have written. */
export type ClientConfigFile = Readonly<Record<string, unknown>>;

/** The settings of the file that all commands use. */
export interface ClientConfig {
  /** Takes precedence over VELERO_NAMESPACE. */
  namespace?: string;
  /** Path of a PEM file: the default of `--cacert` (docs/reference/cli.md section 7). */
  cacert?: string;
  /** False: no colours, unless `--colorized` is given. */
  colorized?: boolean;
}

/** The variable from which commands read `cacert`; users may set it too. */
export const caFileVariable = 'LATEEN_CACERT';

/** The file's path below the home directory. */
export const clientConfigPath = join('.config', 'velero', 'config.json');

/** Path of the file. @throws AppError CLIENT_CONFIG_INVALID without a home directory */
export function clientConfigFile(home: string | undefined): string {
  if (home !== undefined && home !== '') return join(home, clientConfigPath);
  throw new AppError('CLIENT_CONFIG_INVALID', 'the path of the client configuration is not known: HOME is not set', {
    nextStep: 'Set HOME to your home directory.',
  });
}

/** Reads the file; a missing file counts as an empty one. @throws AppError CLIENT_CONFIG_INVALID naming the file */
export async function readClientConfigFile(path: string): Promise<ClientConfigFile> {
  try {
    const parsed: unknown = (JSON.parse(await readFile(path, 'utf8')) as unknown) ?? {};
    if (typeof parsed !== 'object' || Array.isArray(parsed)) throw new TypeError('it is not a JSON object');
    return parsed as ClientConfigFile;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw invalid(path, cause);
  }
}

/** The settings of the file; empty without a home directory or a file. @throws AppError CLIENT_CONFIG_INVALID naming the file */
export async function readClientConfig(home: string | undefined): Promise<ClientConfig> {
  if (home === undefined || home === '') return {};
  const path = clientConfigFile(home);
  const file = await readClientConfigFile(path);
  try {
    return { ...textOf(file, 'namespace'), ...textOf(file, 'cacert'), ...colorizedOf(file) };
  } catch (cause) {
    throw invalid(path, cause);
  }
}

const invalid = (path: string, cause: unknown): AppError =>
  new AppError('CLIENT_CONFIG_INVALID', `${path} cannot be read`, {
    cause,
    nextStep: 'Correct the file, or delete it.',
  });

/** The setting as an object; an empty text counts as not set. */
function textOf<K extends 'namespace' | 'cacert'>(file: ClientConfigFile, key: K): Pick<ClientConfig, K> {
  const value = file[key];
  if (value === undefined || value === '') return {} as Pick<ClientConfig, K>;
  if (typeof value !== 'string') throw new TypeError(`${key} is not a string`);
  return { [key]: value } as Pick<ClientConfig, K>;
}

/** `client config set` writes text; a user may have written true or false by hand. */
function colorizedOf({ colorized }: ClientConfigFile): Pick<ClientConfig, 'colorized'> {
  if (colorized === undefined || colorized === '') return {};
  const value = typeof colorized === 'string' ? parseBoolean(colorized) : colorized;
  if (typeof value !== 'boolean') throw new TypeError('colorized is not true or false');
  return { colorized: value };
}

/** The environment for commands: settings of the file take precedence over the variables. */
export function withClientConfig(
  env: Readonly<Record<string, string | undefined>>,
  { namespace, cacert, colorized }: ClientConfig,
): Readonly<Record<string, string | undefined>> {
  return {
    ...env,
    ...(namespace === undefined ? {} : { VELERO_NAMESPACE: namespace }),
    ...(cacert === undefined ? {} : { [caFileVariable]: cacert }),
    ...(colorized === false ? { NO_COLOR: '1' } : {}),
  };
}
