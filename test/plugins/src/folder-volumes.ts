import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocationConfig, Unstructured, VolumeSnapshotter } from '@lateen/plugin';

const driver = 'fixture.lateen.dev';

/** The folder of a location. */
export function rootOf({ root }: LocationConfig): string {
  if (root === undefined) throw new Error('config has no root');
  return root;
}

/** Snapshots that are files of a folder. */
export function folderVolumes(config: LocationConfig): VolumeSnapshotter {
  const root = rootOf(config);
  return {
    getVolumeId: ({ persistentVolume }) => handleOf(persistentVolume)?.volumeHandle ?? '',
    setVolumeId: ({ persistentVolume, volumeId }) => {
      const csi = handleOf(persistentVolume);
      if (csi !== undefined) csi.volumeHandle = volumeId;
      return persistentVolume;
    },
    getVolumeInfo: ({ volumeId }) => {
      if (volumeId.startsWith('missing')) throw new Error(`no such volume: ${volumeId}`);
      return { volumeType: 'fast', iops: 100 };
    },
    createSnapshot: async ({ volumeId, volumeZone, tags }) => {
      const snapshot = `snap-${volumeId}`;
      await writeFile(join(root, snapshot), JSON.stringify({ volumeID: volumeId, volumeAZ: volumeZone, tags }));
      return snapshot;
    },
    createVolumeFromSnapshot: ({ snapshotId }) => {
      if (!existsSync(join(root, snapshotId))) throw new Error(`no such snapshot: ${snapshotId}`);
      return `from-${snapshotId}`;
    },
    deleteSnapshot: ({ snapshotId }) => rm(join(root, snapshotId), { force: true }),
  };
}

function handleOf({ spec }: Unstructured): { driver: string; volumeHandle?: string } | undefined {
  const { csi } = (spec ?? {}) as { csi?: { driver: string; volumeHandle?: string } };
  return csi?.driver === driver ? csi : undefined;
}
