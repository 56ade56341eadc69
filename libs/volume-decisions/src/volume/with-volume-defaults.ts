import { defaultBackupTarget, type VolumeSpec } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

const MiB = 1024 * 1024;

/** Minutes; the default of Longhorn's CSI driver and REST API. */
const staleReplicaTimeoutDefault = 2880;

/** The spec of a new volume with defaults for all fields that the client left out; undefined counts as left out. */
export function withVolumeDefaults(given: VolumeSpec, settings: Settings): VolumeSpec {
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const blockBytes = settings.number('default-backup-block-size') * MiB;
  return {
    frontend: 'blockdev',
    numberOfReplicas: settings.number('default-replica-count'),
    image: settings.text('default-engine-image'),
    dataEngine: 'v1',
    dataLocality: settings.text('default-data-locality') as NonNullable<VolumeSpec['dataLocality']>,
    staleReplicaTimeout: staleReplicaTimeoutDefault,
    accessMode: 'rwo',
    replicaAutoBalance: 'ignored',
    replicaSoftAntiAffinity: 'ignored',
    replicaZoneSoftAntiAffinity: 'ignored',
    replicaDiskSoftAntiAffinity: 'ignored',
    snapshotDataIntegrity: 'ignored',
    snapshotMaxCount: settings.number('snapshot-max-count'),
    snapshotMaxSize: '0',
    backupCompressionMethod: settings.text('backup-compression-method') as NonNullable<
      VolumeSpec['backupCompressionMethod']
    >,
    backupBlockSize: String(blockBytes) as NonNullable<VolumeSpec['backupBlockSize']>,
    backupTargetName: defaultBackupTarget,
    restoreVolumeRecurringJob: 'ignored',
    freezeFilesystemForSnapshot: 'ignored',
    unmapMarkSnapChainRemoved: 'ignored',
    revisionCounterDisabled: settings.flag('disable-revision-counter'),
    ...said,
  };
}
