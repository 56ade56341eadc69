import { defaultBackupTarget, type VolumeSpec } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

const MiB = 1024 * 1024;

/** Minutes; what Longhorn's CSI driver and its REST API give to volumes that name none. */
const staleReplicaTimeoutDefault = 2880;

/** What a new volume is of which somebody has said only a part; what is undefined there counts as not said. */
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
