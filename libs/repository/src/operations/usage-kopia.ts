import { ContentTable, volumesAtOnceMax } from './content-table.ts';
import { mustList } from './engine-step.ts';
import type { OperationOptions, RepositoryUsage, VolumeUsage } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';
import { type VolumeName, volumeKey, volumeOfSource } from './volume-source.ts';
import { walkSnapshots } from './walk-snapshots.ts';

interface Volume {
  name: VolumeName;
  snapshots: number;
  roots: Set<string>;
}

/** kopia's own contents: the manifests of snapshots, policies and so on. */
const manifestPrefix = 'm';

/** Follows every snapshot from its root to the contents, many volumes at the same time. */
export async function usageKopia(session: RepositorySession, options: OperationOptions): Promise<RepositoryUsage> {
  const { signal, onProgress } = options;
  const table = new ContentTable();
  await mustList(session, 'listing the stored data', ['content', 'list', '--deleted', '--json'], {
    depth: 2,
    signal,
    onObject: ({ contentID, length }) => {
      const id = String(contentID);
      table.add(id, Number(length), id.startsWith(manifestPrefix));
      if (table.count % 100_000 === 0)
        onProgress?.({ doing: 'listing the stored data', done: table.count, unit: 'items' });
    },
  });
  const volumes = await listVolumes(session, signal);
  const needed = new Map<number, number>();
  let foldersRead = 0;
  const onRead = (count: number): void => {
    foldersRead += count;
    onProgress?.({ doing: 'following the snapshots', done: foldersRead, unit: 'items' });
  };
  const numbered = volumes.map(({ roots }, volume) => ({ volume, roots }));
  for (let at = 0; at < numbered.length; at += volumesAtOnceMax) {
    const walk = { volumes: numbered.slice(at, at + volumesAtOnceMax), table, onRead };
    for (const [volume, bytes] of await walkSnapshots(session, walk, signal)) needed.set(volume, bytes);
  }
  const sums = table.sums(volumes.length);
  const usage = volumes.map(({ name, snapshots }, index): VolumeUsage => {
    const uniqueBytes = sums.unique[index] ?? 0;
    return { ...name, snapshots, uniqueBytes, sharedBytes: (needed.get(index) ?? 0) - uniqueBytes };
  });
  return {
    engine: 'kopia',
    volumes: usage,
    referencedBytes: sums.unique.reduce((sum, bytes) => sum + bytes, sums.shared),
    sharedBytes: sums.shared,
    reclaimableBytes: sums.nobody,
  };
}

/** Incomplete snapshots count too: they keep the data that they refer to. */
async function listVolumes(session: RepositorySession, signal: AbortSignal): Promise<Volume[]> {
  const volumes = new Map<string, Volume>();
  await mustList(session, 'listing the snapshots', ['snapshot', 'list', '--all', '--incomplete', '--json'], {
    depth: 2,
    signal,
    onObject: (snapshot) => {
      const { source, rootEntry } = snapshot as { source?: { path?: unknown }; rootEntry?: { obj?: unknown } };
      const path = String(source?.path);
      const name = volumeOfSource(path);
      const volume = volumes.get(volumeKey(name)) ?? { name, snapshots: 0, roots: new Set() };
      volumes.set(volumeKey(name), volume);
      if (!path.startsWith('lateen-attributes/')) volume.snapshots += 1;
      if (typeof rootEntry?.obj === 'string') volume.roots.add(rootEntry.obj);
    },
  });
  return [...volumes.values()].sort((a, b) => (volumeKey(a.name) < volumeKey(b.name) ? -1 : 1));
}
