import type { LogFormat, LogLevel } from '@lateen/kernel';
import type { ServeConfig } from '../config/serve-config.ts';

/** What the process of one engine is told by a file. No secret: what it may do is in the Secret that the pod mounts. */
export interface EngineConfig {
  readonly engine: string;
  readonly volume: string;
  /** Where it serves the instance API for `serve`. */
  readonly socketPath: string;
  /** Its sockets and what it keeps. */
  readonly directory: string;
  readonly node: string;
  readonly namespace: string;
  readonly hostRoot: string;
  readonly deviceDirectory: string;
  readonly tlsDirectory: string;
  readonly managerPort: number;
  readonly serverName: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function engineConfigOf(
  serve: ServeConfig,
  of: Pick<EngineConfig, 'engine' | 'volume' | 'socketPath' | 'directory'>,
): EngineConfig {
  const { node, namespace, hostRoot, deviceDirectory, tlsDirectory, managerPort, serverName, logLevel, logFormat } =
    serve;
  return {
    ...of,
    node,
    namespace,
    hostRoot,
    deviceDirectory,
    tlsDirectory,
    managerPort,
    serverName,
    logLevel,
    logFormat,
  };
}
