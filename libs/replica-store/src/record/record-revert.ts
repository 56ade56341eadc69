import { headOf, keptSnapshot } from './layer-tree.ts';
import { layerFile, type Pending, type ReplicaRecord } from './replica-record.ts';

/** The file of the new head, noted as garbage until the record takes it in: whoever dies between leaves nothing. */
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
    // Nothing has been written to the new one. What an earlier kill has taken may be missing below it, too.
    servedIn: 0,
    pending: [...others, garbage],
  };
}
