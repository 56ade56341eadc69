import type { BlockEngine, BlockSnapshot } from '@lateen/block-engine';
import { volumeError } from '@lateen/volume';
import type { FoundSnapshot, SnapshotBlocks } from '../../csi/snapshot-metadata-service.ts';
import { asCsi, csiError } from '../engine-error-codes.ts';
import { readSnapshotHandle } from '../snapshot-handle.ts';

interface ReplicatedSnapshot extends FoundSnapshot {
  readonly snapshot: BlockSnapshot;
}

/** With these errors the caller can read the whole snapshot instead of its changed blocks. */
const untold = { NOT_POSSIBLE_NOW: 'FAILED_PRECONDITION', NOT_SUPPORTED: 'FAILED_PRECONDITION' } as const;

/** Blocks of the snapshots of a {@link BlockEngine}, which does not delete them while they are reported. */
export function replicatedSnapshotBlocks(engine: BlockEngine): SnapshotBlocks<ReplicatedSnapshot> {
  return {
    find: (id, o) =>
      asCsi(async () => {
        const handle = readSnapshotHandle(id);
        if (handle?.type === 'bak') {
          throw volumeError('FAILED_PRECONDITION', `snapshot ${id} is a backup, whose blocks cannot be listed`, {
            nextStep: 'Read all of it, or set the parameter type of the VolumeSnapshotClass to snap.',
          });
        }
        if (handle !== undefined)
          for await (const snapshot of engine.listSnapshots(handle.volume, o))
            if (snapshot.name === handle.name)
              return { volume: handle.volume, sizeBytes: snapshot.sizeBytes, snapshot };
        throw volumeError('NOT_FOUND', `there is no snapshot ${JSON.stringify(id)}`);
      }),
    extents: async function* ({ volume, snapshot }, { since, startBytes, signal }) {
      const base = since === undefined ? {} : { since: since.snapshot.name };
      try {
        yield* engine.extents(volume, snapshot.name, { signal, startBytes, ...base });
      } catch (error) {
        throw csiError(error, untold);
      }
    },
  };
}
