import { replicaError } from '../replica-error.ts';
import { findSnapshot, headOf, replaceLayer } from './layer-tree.ts';
import {
  type LayerSnapshot,
  layerFile,
  type Pending,
  pendingOf,
  type ReplicaRecord,
  withoutPending,
} from './replica-record.ts';

/** The engine sets all fields, so that all replicas record the same. */
export interface NewSnapshot {
  readonly name: string;
  readonly createdAt: string;
  readonly userCreated: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Records the overlay that takes the writes after the snapshot. It is on disk before the overlay gets any write. */
export function beginSnapshot(record: ReplicaRecord, wanted: NewSnapshot): ReplicaRecord {
  if (findSnapshot(record, wanted.name) !== undefined) {
    throw replicaError('SNAPSHOT_EXISTS', `${record.replica} has a snapshot ${wanted.name} already`, {
      nextStep: 'Choose another name.',
    });
  }
  const overlay = { id: record.nextId, file: layerFile(record.nextId) };
  const { name, createdAt, userCreated, labels } = wanted;
  const snapshot: LayerSnapshot = { name, createdAt, userCreated, labels, removed: false };
  const begun: Pending = { kind: 'snapshot', overlay, snapshot };
  return { ...record, nextId: record.nextId + 1, pending: [...withoutPending(record, 'snapshot'), begun] };
}

/** The overlay is the head now. */
export function finishSnapshot(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'snapshot');
  if (begun === undefined) return record;
  const frozen = { ...headOf(record), snapshot: begun.snapshot };
  const { id, file } = begun.overlay;
  const head = { id, file, parent: frozen.id, sizeBytes: record.sizeBytes };
  return {
    ...record,
    layers: [...replaceLayer(record, frozen), head],
    head: id,
    pending: withoutPending(record, 'snapshot'),
  };
}

/** Undoes the snapshot: the head was never frozen, and the overlay has no writes. */
export function takeBackSnapshot(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'snapshot');
  if (begun === undefined) return record;
  const garbage: Pending = { kind: 'garbage', file: begun.overlay.file };
  return { ...record, pending: [...withoutPending(record, 'snapshot'), garbage] };
}

/** Marks a snapshot as no longer needed. Safe to repeat; does nothing when it does not exist. */
export function markRemoved(record: ReplicaRecord, name: string): ReplicaRecord {
  const layer = findSnapshot(record, name);
  if (layer === undefined || layer.snapshot.removed) return record;
  return {
    ...record,
    layers: replaceLayer(record, { ...layer, snapshot: { ...layer.snapshot, removed: true } }),
  };
}
