import type { BlockReader, BlockSnapshot, Call, Extent, Labels } from '@lateen/block-engine';
import { createSnapshot } from '../controller/create-snapshot.ts';
import { deleteSnapshot } from '../controller/delete-record.ts';
import { revertVolume } from '../controller/revert-volume.ts';
import { beyond, recordExtents } from '../diff/record-extents.ts';
import type { SnapshotRecord } from '../store/records.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { asEngineError } from './engine-errors.ts';
import { changing, snapshotId, snapshotNamed, volumeId, volumeNamed } from './engine-names.ts';

type Named = { volume: string; snapshot: string };

export async function snapshotLocal(
  deps: LocalEngineDeps,
  { volume, snapshot }: Named,
  o: Call & { labels?: Labels },
): Promise<BlockSnapshot> {
  const ids = () => [volumeId(deps, volume), snapshotId(deps, snapshot)];
  const sourceVolumeId = await changing(
    deps,
    o,
    { what: 'volume', ids: () => [] },
    async () => volumeNamed(deps, volume).id,
  );
  return changing(deps, o, { what: 'snapshot', ids }, async () => {
    const labels = o.labels === undefined ? {} : { labels: o.labels };
    return snapshotOf(volume, await createSnapshot(deps, { name: snapshot, sourceVolumeId, ...labels }, o.signal));
  });
}

export async function deleteSnapshotLocal(deps: LocalEngineDeps, { volume, snapshot }: Named, o: Call): Promise<void> {
  return changing(deps, o, { what: 'snapshot', ids: () => [snapshotId(deps, snapshot)] }, async () => {
    const record = deps.store.snapshot(snapshotId(deps, snapshot));
    // One of another volume is none of this volume's.
    if (record?.sourceVolumeId === volumeId(deps, volume)) await deleteSnapshot(deps, record.id, o.signal);
  });
}

export async function revertLocal(deps: LocalEngineDeps, { volume, snapshot }: Named, o: Call): Promise<void> {
  const ids = () => [volumeId(deps, volume)];
  const reads = () => [snapshotId(deps, snapshot)];
  return changing(deps, o, { what: 'volume', ids, reads }, async () =>
    revertVolume(deps, volumeNamed(deps, volume), snapshotNamed(deps, volume, snapshot), o.signal),
  );
}

export async function* listLocal(deps: LocalEngineDeps, volume: string, o: Call): AsyncGenerator<BlockSnapshot> {
  const records = await changing(deps, o, { what: 'volume', ids: () => [] }, async () => {
    const id = volumeId(deps, volume);
    const own = deps.store
      .snapshots()
      .filter(({ sourceVolumeId, state }) => sourceVolumeId === id && state === 'ready');
    if (own.length === 0) volumeNamed(deps, volume);
    return own.sort((a, b) => a.createdAtMs - b.createdAtMs || (a.name < b.name ? -1 : 1));
  });
  for (const record of records) yield snapshotOf(volume, record);
}

export async function* extentsLocal(
  deps: LocalEngineDeps,
  { volume, snapshot }: Named,
  o: Call & { since?: string; startBytes?: bigint },
): AsyncGenerator<Extent> {
  const { since, startBytes = 0n, signal } = o;
  using _held = await reading(deps, o, [snapshot, ...(since === undefined ? [] : [since])]);
  const request = {
    snapshot: snapshotNamed(deps, volume, snapshot),
    since: since === undefined ? undefined : snapshotNamed(deps, volume, since),
    startBytes,
  };
  try {
    yield* recordExtents(deps, request, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw asEngineError(error, 'snapshot');
  }
}

export async function openSnapshotLocal(
  deps: LocalEngineDeps,
  { volume, snapshot }: Named,
  o: Call,
): Promise<BlockReader> {
  const held = await reading(deps, o, [snapshot]);
  try {
    const record = snapshotNamed(deps, volume, snapshot);
    const file = await deps.host.files.openForReading(deps.paths.backingFile(record));
    const sizeBytes = BigInt(record.sizeBytes);
    return {
      sizeBytes,
      read: async (at, into, { signal }) => {
        signal.throwIfAborted();
        if (at < 0n || at + BigInt(into.length) > sizeBytes) throw asEngineError(beyond(snapshot, at), 'snapshot');
        await file.read(Number(at), into);
      },
      [Symbol.asyncDispose]: async () => {
        await file[Symbol.asyncDispose]();
        held[Symbol.dispose]();
      },
    };
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

/** Holds off the deletion of these snapshots, also one that CSI asks for. */
async function reading(deps: LocalEngineDeps, o: Call, snapshots: readonly string[]): Promise<Disposable> {
  o.signal.throwIfAborted();
  try {
    return deps.inFlight.enter(snapshots.map((name) => ({ id: snapshotId(deps, name), mode: 'shared' })));
  } catch (error) {
    throw asEngineError(error, 'snapshot');
  }
}

const snapshotOf = (volume: string, { name, sizeBytes, createdAtMs, labels = {} }: SnapshotRecord): BlockSnapshot => ({
  name,
  volume,
  sizeBytes: BigInt(sizeBytes),
  createdAtMs,
  labels,
});
