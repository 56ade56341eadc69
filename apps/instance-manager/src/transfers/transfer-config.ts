import type { LogFormat, LogLevel } from '@lateen/kernel';
import { readChildConfig } from '../children/read-child-config.ts';
import type { ServeConfig } from '../config/serve-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';

/** What the process of one transfer is told by a file. No secret: what is to be moved, and the credentials, come with the call. */
export interface TransferConfig {
  readonly transfer: string;
  readonly volume: string;
  /** Of `serve`: where engines have their sockets, and this process its own. */
  readonly runtimeDirectory: string;
  readonly tlsDirectory: string;
  readonly serverName: string;
  /** Where `serve` of this node answers, which opens snapshots of replicas, and where replicas serve. */
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

/** What listens everywhere is reached at the loopback. */
export const reachable = (address: string): string =>
  address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;

/** What the other end of the file reads. @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
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
