import { headOf, keptSnapshot } from './layer-tree.ts';
import { layerFile, type Pending, type ReplicaRecord } from './replica-record.ts';

/** The file of the new head, recorded as garbage until the record contains it: if the process dies in between, the file is removed. */
export function beginRevert(record: ReplicaRecord, snapshot: string): { record: ReplicaRecord; file: string } {
  keptSnapshot(record, snapshot);
  const file = layerFile(record.nextId);
  const garbage: Pending = { kind: 'garbage', file };
  return { record: { ...record, nextId: record.nextId + 1, pending: [...record.pending, garbage] }, file };
}

/**
 * The volume reads as the snapshot from now on. The old head goes away with what was written since its own snapshot; layers
 * between stay, as snapshots of a branch. The size stays: a snapshot of a smaller volume is followed by zeros.
 */
export function finishRevert(record: ReplicaRecord, snapshot: string, file: string): ReplicaRecord {
  const parent = keptSnapshot(record, snapshot);
  const old = headOf(record);
  const id = record.nextId;
  const garbage: Pending = { kind: 'garbage', file: old.file };
  const others = record.pending.filter(
    (one) => !(one.kind === 'garbage' && one.file === file) && !(one.kind === 'relink' && one.layer === old.id),
  );
  return {
    ...record,
    nextId: id + 1,
    layers: [
      ...record.layers.filter((layer) => layer.id !== old.id),
      { id, file, parent: parent.id, sizeBytes: record.sizeBytes },
    ],
    head: id,
    // The new head has no writes. Writes lost in an earlier kill may be missing in the layers below, too.
    servedIn: 0,
    pending: [...others, garbage],
  };
}
