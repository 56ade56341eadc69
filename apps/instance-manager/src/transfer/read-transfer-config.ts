import { readChildConfig } from '../children/read-child-config.ts';
import { countOf, textOf } from '../notes/instance-notes.ts';
import type { TransferConfig } from '../transfers/transfer-config.ts';

/** @throws AppError `CONFIG_INVALID` naming the file and what it lacks */
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
