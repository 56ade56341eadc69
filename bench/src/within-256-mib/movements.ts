import type { KubeObject } from '@lateen/api-types';
import { aDataDownload, aDataUpload, aPodVolumeBackup, aPodVolumeRestore } from '@lateen/testing';

export const movementNames = ['data-upload', 'pod-volume-backup', 'data-download', 'pod-volume-restore'] as const;
export type MovementName = (typeof movementNames)[number];

type Config = Readonly<Record<string, string>>;

/** One of the four movements of a mover, as the custom resource of a volume of namespace `shop`, InProgress. */
export interface Movement {
  name: MovementName;
  direction: 'backup' | 'restore';
  resource(config: Config, snapshotID: string): KubeObject;
}

const common = { phase: 'InProgress', spec: { backupStorageLocation: 'default' } } as const;
const pod = { kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'pod-shop-db-0' };

export const movements: readonly Movement[] = [
  {
    name: 'data-upload',
    direction: 'backup',
    resource: (dataMoverConfig) =>
      aDataUpload({ ...common, spec: { ...common.spec, sourceNamespace: 'shop', dataMoverConfig } }),
  },
  {
    name: 'pod-volume-backup',
    direction: 'backup',
    resource: (uploaderSettings) => aPodVolumeBackup({ ...common, spec: { ...common.spec, pod, uploaderSettings } }),
  },
  {
    name: 'data-download',
    direction: 'restore',
    resource: (dataMoverConfig, snapshotID) =>
      aDataDownload({ ...common, spec: { ...common.spec, sourceNamespace: 'shop', snapshotID, dataMoverConfig } }),
  },
  {
    name: 'pod-volume-restore',
    direction: 'restore',
    resource: (uploaderSettings, snapshotID) =>
      aPodVolumeRestore({
        ...common,
        spec: { ...common.spec, pod, sourceNamespace: 'shop', snapshotID, uploaderSettings },
      }),
  },
];
