import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';

/** What the reference's `client config set` may have left for all commands (cli.md section 1); as far as it is used here. */
export interface ClientConfig {
  /** Wins over VELERO_NAMESPACE. */
  namespace?: string;
  /** Path of a PEM file: what `--cacert` is when it is not given (cli.md section 7). */
  cacert?: string;
}

/** Where commands find `cacert`; a person may set it as well. */
export const caFileVariable = 'LATEEN_CACERT';

/** Where it is, under the home directory. */
export const clientConfigPath = join('.config', 'velero', 'config.json');

/** Reads the file; there being none is the same as an empty one. @throws AppError CLIENT_CONFIG_INVALID naming the file */
export async function readClientConfig(home: string | undefined): Promise<ClientConfig> {
  if (home === undefined || home === '') return {};
  const path = join(home, clientConfigPath);
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    return { ...textOf(parsed, 'namespace'), ...textOf(parsed, 'cacert') };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new AppError('CLIENT_CONFIG_INVALID', `${path} cannot be read`, {
      cause,
      nextStep: 'Mend it or take it away.',
    });
  }
}

/** The setting when there is one, as an object; an empty text is none. */
function textOf<K extends keyof ClientConfig>(parsed: unknown, key: K): Pick<ClientConfig, K> {
  const value = ((parsed ?? {}) as Record<K, unknown>)[key];
  if (value === undefined || value === '') return {} as Pick<ClientConfig, K>;
  if (typeof value !== 'string') throw new TypeError(`${key} is no text`);
  return { [key]: value } as Pick<ClientConfig, K>;
}

/** The environment as commands see it: what the file says wins over the variables. */
export function withClientConfig(
  env: Readonly<Record<string, string | undefined>>,
  { namespace, cacert }: ClientConfig,
): Readonly<Record<string, string | undefined>> {
  return {
    ...env,
    ...(namespace === undefined ? {} : { VELERO_NAMESPACE: namespace }),
    ...(cacert === undefined ? {} : { [caFileVariable]: cacert }),
  };
}
