import type { LogFormat, LogLevel } from '@lateen/kernel';
import { readChildConfig } from '../children/read-child-config.ts';
import type { ServeConfig } from '../config/serve-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** Name of the one export on an engine's socket. */
export const engineExport = 'volume';

/** The input file of one engine's process. It has no secret: the engine's identity for replicas is in the Secret that the pod mounts. */
export interface EngineConfig {
  readonly engine: string;
  readonly volume: string;
  /** Socket on which it serves the instance API for `serve`. */
  readonly socketPath: string;
  /** Directory for its other sockets. */
  readonly directory: string;
  readonly node: string;
  readonly tlsDirectory: string;
  /** Port on which the instance managers of its replicas listen. */
  readonly managerPort: number;
  readonly serverName: string;
  /** The export extends beyond the end of the volume, so that its device can grow. */
  readonly hasReserve: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function engineConfigOf(
  { node, tlsDirectory, managerPort, serverName, logLevel, logFormat }: ServeConfig,
  of: Pick<EngineConfig, 'engine' | 'volume' | 'socketPath' | 'directory' | 'hasReserve'>,
): EngineConfig {
  return { ...of, node, tlsDirectory, managerPort, serverName, logLevel, logFormat };
}

/** Reads the file. @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
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
