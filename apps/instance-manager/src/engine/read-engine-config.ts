import { readChildConfig } from '../children/read-child-config.ts';
import type { EngineConfig } from '../engines/engine-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
export const readEngineConfig = (path: string): Promise<EngineConfig> =>
  readChildConfig(path, 'engine', (value) => {
    const text = (field: string) => textOf(value, field);
    return {
      ...{ engine: text('engine'), volume: text('volume'), node: text('node') },
      ...{ socketPath: text('socketPath'), directory: text('directory') },
      ...{ tlsDirectory: text('tlsDirectory'), serverName: text('serverName') },
      managerPort: countOf(value, 'managerPort'),
      hasReserve: value.hasReserve === true,
    };
  });
