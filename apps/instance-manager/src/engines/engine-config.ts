import type { LogFormat, LogLevel } from '@lateen/kernel';
import type { ServeConfig } from '../config/serve-config.ts';

/** Name of the one export on an engine's socket. */
export const engineExport = 'volume';

/** What the process of one engine is told by a file. No secret: who it is for replicas is in the Secret that the pod mounts. */
export interface EngineConfig {
  readonly engine: string;
  readonly volume: string;
  /** Where it serves the instance API for `serve`. */
  readonly socketPath: string;
  /** For its other sockets. */
  readonly directory: string;
  readonly node: string;
  readonly tlsDirectory: string;
  /** Where the instance managers of its replicas listen. */
  readonly managerPort: number;
  readonly serverName: string;
  /** The export goes on behind the end of the volume, so that its device can grow. */
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
