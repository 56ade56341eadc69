import type { LogFormat, LogLevel } from '@lateen/kernel';
import { readChildConfig } from '../children/read-child-config.ts';
import type { ServeConfig } from '../config/serve-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** The input file of one transfer's process. It has no secret: the request, with its credentials, comes by the call. */
export interface TransferConfig {
  readonly transfer: string;
  readonly volume: string;
  /** The runtime directory of `serve`, with the sockets of engines and of this process. */
  readonly runtimeDirectory: string;
  readonly tlsDirectory: string;
  readonly serverName: string;
  /** Address of this node's `serve`, which opens snapshots of replicas, and address on which replicas serve. */
  readonly managerAddress: string;
  readonly managerPort: number;
  readonly replicaAddress: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function transferConfigOf(
  { runtimeDirectory, tlsDirectory, serverName, listen, replicaAddress, logLevel, logFormat }: ServeConfig,
  { transfer, volume }: Pick<TransferConfig, 'transfer' | 'volume'>,
): TransferConfig {
  return {
    ...{ transfer, volume, runtimeDirectory, tlsDirectory, serverName, logLevel, logFormat },
    ...{ managerAddress: reachable(listen.host), managerPort: listen.port, replicaAddress: reachable(replicaAddress) },
  };
}

/** A server that listens on all addresses is reached by loopback. */
export const reachable = (address: string): string =>
  address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;

/** Reads the file. @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
export const readTransferConfig = (path: string): Promise<TransferConfig> =>
  readChildConfig(path, 'transfer', (value) => {
    const text = (field: string) => textOf(value, field);
    return {
      ...{ transfer: text('transfer'), volume: text('volume') },
      ...{ runtimeDirectory: text('runtimeDirectory'), tlsDirectory: text('tlsDirectory') },
      ...{ serverName: text('serverName'), managerAddress: text('managerAddress') },
      ...{ managerPort: countOf(value, 'managerPort'), replicaAddress: text('replicaAddress') },
    };
  });
