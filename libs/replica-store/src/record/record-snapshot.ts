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

/** All of it is the engine's, so that all replicas write the same. */
export interface NewSnapshot {
  readonly name: string;
  readonly createdAt: string;
  readonly userCreated: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** Names the overlay that takes writes after the snapshot. On disk before the overlay gets any. */
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

/** The overlay is the head. */
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

/** The head has never been frozen, and the overlay got no writes. */
export function takeBackSnapshot(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'snapshot');
  if (begun === undefined) return record;
  const garbage: Pending = { kind: 'garbage', file: begun.overlay.file };
  return { ...record, pending: [...withoutPending(record, 'snapshot'), garbage] };
}

/** Nobody needs the snapshot any more. Safe to repeat; one that is not there is fine too. */
export function markRemoved(record: ReplicaRecord, name: string): ReplicaRecord {
  const layer = findSnapshot(record, name);
  if (layer === undefined || layer.snapshot.removed) return record;
  return {
    ...record,
    layers: replaceLayer(record, { ...layer, snapshot: { ...layer.snapshot, removed: true } }),
  };
}
