import { AppError } from '@lateen/errors';
import { mustRun } from '../engine/must-run.ts';
import { mustList } from './engine-step.ts';
import type { OperationOptions, RepositoryUsage, VolumeUsage } from './repository-operation.ts';
import type { RepositorySession } from './repository-session.ts';
import { type VolumeName, volumeKey, volumeOfSource } from './volume-source.ts';

interface Volume {
  name: VolumeName;
  snapshotIDs: string[];
}

/**
 * restic counts the bytes of any set of snapshots; the data that only one volume needs is the total less that of all others. One
 * run at a time: each loads all indexes, and the pod's memory is dimensioned for one engine.
 */
export async function usageRestic(session: RepositorySession, options: OperationOptions): Promise<RepositoryUsage> {
  const { signal, onProgress } = options;
  const volumes = await listVolumes(session, signal);
  const referencedBytes = await bytesOf(
    session,
    volumes.flatMap((volume) => volume.snapshotIDs),
    signal,
  );
  const usage: VolumeUsage[] = [];
  for (const [index, { name, snapshotIDs }] of volumes.entries()) {
    onProgress?.({ doing: 'counting', done: index, total: volumes.length, unit: 'items' });
    const others = volumes.filter((_, at) => at !== index).flatMap((volume) => volume.snapshotIDs);
    const own = volumes.length === 1 ? referencedBytes : await bytesOf(session, snapshotIDs, signal);
    const uniqueBytes = referencedBytes - (await bytesOf(session, others, signal));
    usage.push({ ...name, snapshots: snapshotIDs.length, uniqueBytes, sharedBytes: own - uniqueBytes });
  }
  return {
    engine: 'restic',
    volumes: usage,
    referencedBytes,
    sharedBytes: usage.reduce((left, { uniqueBytes }) => left - uniqueBytes, referencedBytes),
    reclaimableBytes: await unusedBytes(session, signal),
  };
}

async function listVolumes(session: RepositorySession, signal: AbortSignal): Promise<Volume[]> {
  const volumes = new Map<string, Volume>();
  await mustList(session, 'listing the snapshots', ['snapshots', '--json', '--no-lock'], {
    depth: 2,
    signal,
    onObject: (snapshot) => {
      const { id, tags, paths } = snapshot as { id?: unknown; tags?: unknown; paths?: unknown };
      const name = volumeOf(Array.isArray(tags) ? tags.map(String) : [], String(paths));
      const volume = volumes.get(volumeKey(name)) ?? { name, snapshotIDs: [] };
      volumes.set(volumeKey(name), volume);
      volume.snapshotIDs.push(String(id));
    },
  });
  return [...volumes.values()].sort((a, b) => (volumeKey(a.name) < volumeKey(b.name) ? -1 : 1));
}

/** By our tag with the source, otherwise by Velero's tags (`ns`, `volume`; api.md section 11). */
function volumeOf(tags: readonly string[], paths: string): VolumeName {
  const tagged = (key: string) => tags.find((tag) => tag.startsWith(`${key}=`))?.slice(key.length + 1);
  const source = tagged('snapshot-source');
  if (source !== undefined) return volumeOfSource(source);
  const [namespace, volume] = [tagged('ns'), tagged('volume')];
  if (namespace !== undefined && volume !== undefined) return { namespace, persistentVolumeClaim: volume };
  return volumeOfSource(paths);
}

async function bytesOf(
  session: RepositorySession,
  snapshotIDs: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  // Without an ID restic counts all snapshots.
  if (snapshotIDs.length === 0) return 0;
  const args = ['stats', '--json', '--no-lock', '--mode=raw-data', ...snapshotIDs];
  const { stdout } = await mustRun(session, 'counting stored data', args, { signal });
  const found = /"total_size":\s*(\d+)/.exec(stdout)?.[1];
  if (found === undefined) throw new AppError('ENGINE_BAD_ANSWER', 'restic stats did not answer with its JSON');
  return Number(found);
}

const units: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** `prune --dry-run` prints it as `unused: 3 blobs / 1.234 MiB`; it changes nothing and takes no lock. */
async function unusedBytes(session: RepositorySession, signal: AbortSignal): Promise<number> {
  const args = ['prune', '--dry-run', '--no-lock', '--verbose=2'];
  const { stdout } = await mustRun(session, 'counting what nobody needs', args, { signal });
  const [, amount, unit = ''] = /^unused:\s+\d+ blobs \/ ([\d.]+) ([KMGT]?i?B)$/m.exec(stdout) ?? [];
  return amount === undefined ? 0 : Math.round(Number(amount) * (units[unit] ?? 1));
}
