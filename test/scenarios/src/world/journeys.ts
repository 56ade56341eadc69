import {
  dataDownloadType,
  dataUploadType,
  podVolumeBackupType,
  podVolumeRestoreType,
  type ResourceType,
} from '@lateen/api-types';
import type { Movement } from '@lateen/data-movement';
import { downloadWorld, podBackupWorld, podRestoreWorld, uploadWorld } from './movement-worlds.ts';
import { theDownload, thePodVolumeBackup, thePodVolumeRestore, theUpload } from './run-world.ts';
import type { World } from './world.ts';

/** One movement of each kind, in a world that has what it needs. */
export interface Journey {
  make: () => World;
  of: (world: World) => Movement | undefined;
  type: ResourceType<Movement>;
  /** Key of the movement, and of its hosting pod. */
  key: { namespace: string; name: string };
  /** Volumes on the storage that remain afterwards. */
  kept(world: World, phase: string): string[];
}

const named = (name: string) => ({ namespace: 'velero', name });

export const journeys: Readonly<Record<string, Journey>> = {
  'an upload': {
    make: () => uploadWorld(),
    of: theUpload,
    type: dataUploadType,
    key: named('upload'),
    kept: () => ['handle-pv-data'],
  },
  'a download': {
    make: () => downloadWorld(),
    of: theDownload,
    type: dataDownloadType,
    key: named('download'),
    kept: (world, phase) => (phase === 'Completed' ? [...world.storage.volumes] : []),
  },
  'a pod volume backup': {
    make: () => podBackupWorld(),
    of: thePodVolumeBackup,
    type: podVolumeBackupType,
    key: named('backup'),
    kept: () => [],
  },
  'a pod volume restore': {
    make: () => podRestoreWorld(),
    of: thePodVolumeRestore,
    type: podVolumeRestoreType,
    key: named('restore'),
    kept: () => [],
  },
};
