import { ownerReferenceTo } from '@lateen/kube';
import type { VolumeIntent } from '@lateen/storage-rest';
import {
  type Backup,
  type BackupSpec,
  backupName,
  longhornGroup,
  longhornVersion,
  type Snapshot,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';

const apiVersion = `${longhornGroup}/${longhornVersion}`;
type IntentTo<Do extends VolumeIntent['do']> = Extract<VolumeIntent, { do: Do }>;

/** The object that requests a snapshot; it is deleted with its volume. */
export const newSnapshot = (volume: Volume, { name, labels }: IntentTo<'take-snapshot'>): Snapshot => ({
  apiVersion,
  kind: 'Snapshot',
  metadata: {
    name,
    labels: { [storageLabels.volume]: volume.metadata.name ?? '' },
    ownerReferences: [ownerReferenceTo(volume)],
  },
  spec: { volume: volume.metadata.name ?? '', createSnapshot: true, labels },
});

/** The object that requests a backup. It outlives its volume. */
export const newBackup = (volume: Volume, intent: IntentTo<'back-up'>, uuid: string): Backup => ({
  apiVersion,
  kind: 'Backup',
  metadata: {
    name: backupName(uuid),
    labels: { [storageLabels.backupVolume]: volume.metadata.name ?? '', [storageLabels.backupTarget]: intent.target },
  },
  spec: {
    snapshotName: intent.snapshot,
    labels: { ...intent.labels },
    backupMode: intent.mode,
    ...blockSizeOf(volume),
  },
});

function blockSizeOf({ spec }: Volume): Pick<BackupSpec, 'backupBlockSize'> {
  return spec.backupBlockSize === undefined ? {} : { backupBlockSize: spec.backupBlockSize };
}
