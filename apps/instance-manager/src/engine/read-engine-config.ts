import { readFile } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { logFormats, logLevels } from '@lateen/kernel';
import type { EngineConfig } from '../engines/engine-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
export async function readEngineConfig(path: string): Promise<EngineConfig> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8'));
    const text = (field: string) => textOf(value, field);
    return {
      ...{ engine: text('engine'), volume: text('volume'), node: text('node') },
      ...{ socketPath: text('socketPath'), directory: text('directory') },
      ...{
        tlsDirectory: text('tlsDirectory'),
        serverName: text('serverName'),
        managerPort: countOf(value, 'managerPort'),
      },
      hasReserve: value.hasReserve === true,
      logLevel: logLevels.find((one) => one === value.logLevel) ?? 'info',
      logFormat: logFormats.find((one) => one === value.logFormat) ?? 'text',
    };
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `${path} does not say which engine to run`, {
      cause,
      nextStep: 'It is written by serve, which starts this program; it is not started by hand.',
    });
  }
}
