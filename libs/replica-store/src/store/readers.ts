import type { LayerView } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { findSnapshot, keptSnapshot, pathDown } from '../record/layer-tree.ts';
import { replicaError } from '../replica-error.ts';
import { readBy } from './pins.ts';
import type { Replica } from './replica.ts';

export interface OpenReader {
  readonly snapshot: string;
  /** `alone` is possible for removed snapshots too: a rebuild copies every layer. */
  readonly view: LayerView;
  readonly exportName: string;
}

export interface LayerReader {
  readonly sizeBytes: bigint;
  /** Snapshots whose layers the export contains, from the opened one down, removed ones included. */
  readonly chain: readonly string[];
  /** Removes the export and allows merges again. Safe to repeat. */
  close(o: Call): Promise<void>;
}

/**
 * Opens a snapshot for reading while the volume is written. Until it is closed, no merge changes the layers that it reads; it has to be
 * closed, or the space of removed snapshots is never freed.
 * @throws AppError `SNAPSHOT_NOT_FOUND`
 */
export const openReader = (replica: Replica, wanted: OpenReader, o: Call): Promise<LayerReader> =>
  replica.exclusive(o, async () => {
    const { record } = replica;
    const { blocks, clock } = replica.ports;
    const { snapshot, view, exportName } = wanted;
    const layer = view === 'alone' ? findSnapshot(record, snapshot) : keptSnapshot(record, snapshot);
    if (layer === undefined) {
      throw replicaError('SNAPSHOT_NOT_FOUND', `${record.replica} has no layer for ${snapshot}`);
    }
    const id = replica.readerId();
    const below = pathDown(record, layer.id);
    const shown = view === 'alone' ? below.slice(0, 1) : below;
    replica.pins.hold(id, readBy(record, layer.id, view));
    try {
      await blocks.exportLayer({ id, name: exportName, files: shown.map(({ file }) => file) }, o);
    } catch (error) {
      // The export may exist in spite of the error, especially after an abort. While it exists, nothing is merged below it.
      await blocks.unexportLayer(id, { signal: clock.deadline(replicaLimits.unexportMs) }).then(
        () => replica.pins.release(id),
        () => {},
      );
      throw error;
    }
    return {
      sizeBytes: BigInt(layer.sizeBytes),
      chain: shown.flatMap(({ snapshot: of }) => (of === undefined ? [] : [of.name])),
      close: async (call) => {
        await blocks.unexportLayer(id, call);
        replica.pins.release(id);
      },
    };
  });
