import { join } from 'node:path';
import { credentialFilesIn, noSnapshotters, type SnapshotterPorts } from '@lateen/native-snapshots';
import { secretsDirectoryOf } from '@lateen/repository';
import type { ControllerConfig } from './config.ts';

/** Who takes native snapshots, and where its credentials are while it does: in memory where the pod has a place for that. */
export const snapshotterPorts = ({ environment, scratchDirectory }: ControllerConfig): SnapshotterPorts => ({
  snapshotters: noSnapshotters,
  credentialFiles: credentialFilesIn(join(secretsDirectoryOf(environment) ?? scratchDirectory, 'snapshot-locations')),
});
