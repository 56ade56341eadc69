import { type BlockEngine, type BlockReader, blockVolumeError, type Call, type Extent } from '@lateen/block-engine';
import { attachReplicated, detachReplicated } from './attach-volume.ts';
import { capacityReplicated } from './capacity.ts';
import { conditionReplicated } from './condition.ts';
import { createReplicated } from './create-volume.ts';
import { deleteReplicated } from './delete-volume.ts';
import { type EngineDeps, engineDeps, type ReplicatedEngineOptions, type SnapshotReads } from './engine-deps.ts';
import { clusterBytes } from './granularity.ts';
import { growReplicated } from './grow-volume.ts';
import { snapshotNamed } from './snapshot-named.ts';
import { deleteSnapshotReplicated, listReplicated, takeSnapshot } from './snapshots.ts';
import { revertReplicated, trimReplicated } from './upkeep.ts';
import { blockVolumeOf, findVolume } from './volume-named.ts';

/**
 * Replicated volumes as a {@link BlockEngine}: each call writes what is wanted into objects of longhorn.io, and waits until the manager
 * has done it or its limit is over. Nothing is kept in memory, so any number of processes may make calls.
 */
export function replicatedBlockEngine(options: ReplicatedEngineOptions): BlockEngine {
  const deps = engineDeps(options);
  return {
    name: 'replicated',
    can: { multiNode: true, onlineGrow: true, rawSnapshotInUse: true, snapshotsOutliveVolume: false, clones: true },
    granularityBytes: clusterBytes,
    create: (request, o) => createReplicated(deps, request, o),
    delete: (volume, o) => deleteReplicated(deps, volume, o),
    get: async (volume, o) => {
      const found = await findVolume(deps, volume, o);
      return found === undefined ? undefined : blockVolumeOf(volume, found);
    },
    attach: (volume, node, o) => attachReplicated(deps, volume, node, o),
    detach: (volume, node, o) => detachReplicated(deps, volume, node, o),
    grow: (volume, sizeBytes, o) => growReplicated(deps, volume, sizeBytes, o),
    snapshot: (volume, snapshot, o) => takeSnapshot(deps, { volume, snapshot }, o),
    deleteSnapshot: (volume, snapshot, o) => deleteSnapshotReplicated(deps, { volume, snapshot }, o),
    revert: (volume, snapshot, o) => revertReplicated(deps, { volume, snapshot }, o),
    listSnapshots: (volume, o) => listReplicated(deps, volume, o),
    extents: (volume, snapshot, o) => extents(deps, { volume, snapshot }, o),
    openSnapshot: async (volume, snapshot, o) => {
      const { sizeBytes } = await snapshotNamed(deps, { volume, snapshot }, o);
      return within(snapshot, sizeBytes, await readsOf(deps).open({ volume, snapshot }, o));
    },
    trim: (volume, o) => trimReplicated(deps, volume, o),
    condition: (volume, o) => conditionReplicated(deps, volume, o),
    capacity: (where, parameters, o) => capacityReplicated(deps, where, parameters, o),
  };
}

async function* extents(
  deps: EngineDeps,
  name: { volume: string; snapshot: string },
  o: Call & { since?: string; startBytes?: bigint },
): AsyncGenerator<Extent> {
  const { since, startBytes = 0n } = o;
  const { sizeBytes } = await snapshotNamed(deps, name, o);
  if (since !== undefined) await snapshotNamed(deps, { ...name, snapshot: since }, o);
  if (startBytes < 0n || startBytes > sizeBytes) {
    throw beyond(name.snapshot, startBytes);
  }
  yield* readsOf(deps).extents(
    { ...name, startBytes, ...(since === undefined ? {} : { since }) },
    { signal: o.signal },
  );
}

function readsOf({ snapshotReads }: EngineDeps): SnapshotReads {
  if (snapshotReads !== undefined) return snapshotReads;
  throw blockVolumeError('NOT_SUPPORTED', 'this driver cannot read snapshots: it has no connection to the nodes', {
    nextStep: 'Attach a volume that is made of the snapshot, or use the backups of the volume manager.',
  });
}

/** Of whoever reads nothing is asked that is not there. */
function within(snapshot: string, sizeBytes: bigint, reader: BlockReader): BlockReader {
  return {
    sizeBytes,
    read: async (at, into, o) => {
      if (at < 0n || at + BigInt(into.length) > sizeBytes) throw beyond(snapshot, at);
      await reader.read(at, into, o);
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  };
}

const beyond = (snapshot: string, at: bigint) =>
  blockVolumeError('OUT_OF_RANGE', `snapshot ${snapshot} has no such bytes at ${at}`, {
    nextStep: 'Read within its size.',
  });
