import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocationConfig, Unstructured, VolumeSnapshotter } from '@lateen/plugin';

const driver = 'fixture.lateen.dev';
const flexDriver = 'fixture.lateen.dev/disk';

/** The folder of a location. */
export function rootOf({ root }: LocationConfig): string {
  if (root === undefined) throw new Error('config has no root');
  return root;
}

/** Stores snapshots as files of a folder. */
export function folderVolumes(config: LocationConfig): VolumeSnapshotter {
  const root = rootOf(config);
  return {
    getVolumeId: ({ persistentVolume }) => idOf(persistentVolume),
    setVolumeId: ({ persistentVolume, volumeId }) => {
      const { csi, flexVolume } = sourceOf(persistentVolume);
      if (csi !== undefined) csi.volumeHandle = volumeId;
      if (flexVolume !== undefined) flexVolume.options = { ...flexVolume.options, volumeID: volumeId };
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

interface Source {
  csi?: { driver: string; volumeHandle?: string };
  flexVolume?: { driver: string; options?: Record<string, string> };
}

/** The part of a PersistentVolume's spec that names a volume of the fixture: of CSI, or of flexVolume without CSI. */
function sourceOf({ spec }: Unstructured): Source {
  const { csi, flexVolume } = (spec ?? {}) as Source;
  return {
    ...(csi?.driver === driver ? { csi } : {}),
    ...(flexVolume?.driver === flexDriver ? { flexVolume } : {}),
  };
}

function idOf(persistentVolume: Unstructured): string {
  const { csi, flexVolume } = sourceOf(persistentVolume);
  return csi?.volumeHandle ?? flexVolume?.options?.volumeID ?? '';
}
