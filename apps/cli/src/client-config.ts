import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';

/** What the reference's `client config set` may have left for all commands (cli.md section 1); as far as it is used here. */
export interface ClientConfig {
  /** Wins over VELERO_NAMESPACE. */
  namespace?: string;
}

/** Where it is, under the home directory. */
export const clientConfigPath = join('.config', 'velero', 'config.json');

/** Reads the file; there being none is the same as an empty one. @throws AppError CLIENT_CONFIG_INVALID naming the file */
export async function readClientConfig(home: string | undefined): Promise<ClientConfig> {
  if (home === undefined || home === '') return {};
  const path = join(home, clientConfigPath);
  try {
    const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { namespace } = (parsed ?? {}) as { namespace?: unknown };
    if (namespace === undefined || namespace === '') return {};
    if (typeof namespace !== 'string') throw new TypeError('namespace is no text');
    return { namespace };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new AppError('CLIENT_CONFIG_INVALID', `${path} cannot be read`, {
      cause,
      nextStep: 'Mend it or take it away.',
    });
  }
}
