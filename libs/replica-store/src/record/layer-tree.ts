import { replicaError } from '../replica-error.ts';
import type { Layer, LayerSnapshot, ReplicaRecord } from './replica-record.ts';

/** A layer that has a snapshot: every one but the head. */
export type FrozenLayer = Layer & { readonly snapshot: LayerSnapshot };

/** @throws AppError `REPLICA_CORRUPT`: the codec rejects such a record, so this is a bug */
export function layerOf(record: ReplicaRecord, id: number): Layer {
  const found = record.layers.find((layer) => layer.id === id);
  if (found === undefined) throw replicaError('REPLICA_CORRUPT', `${record.replica} has no layer ${id}`);
  return found;
}

export const headOf = (record: ReplicaRecord): Layer => layerOf(record, record.head);

export const childrenOf = (record: ReplicaRecord, id: number): readonly Layer[] =>
  record.layers.filter((layer) => layer.parent === id);

/** From the layer itself down to the lowest one. */
export function pathDown(record: ReplicaRecord, id: number): readonly Layer[] {
  const path: Layer[] = [];
  for (let at: number | null = id; at !== null; ) {
    const layer: Layer = layerOf(record, at);
    path.push(layer);
    at = layer.parent;
  }
  return path;
}

export const isFrozen = (layer: Layer): layer is FrozenLayer => layer.snapshot !== undefined;

export const findSnapshot = (record: ReplicaRecord, name: string): FrozenLayer | undefined =>
  record.layers.find((layer): layer is FrozenLayer => layer.snapshot?.name === name);

/** The layer of a snapshot that clients may use. @throws AppError `SNAPSHOT_NOT_FOUND`, also for a removed one */
export function keptSnapshot(record: ReplicaRecord, name: string): FrozenLayer {
  const layer = findSnapshot(record, name);
  if (layer === undefined || layer.snapshot.removed) {
    const why = layer === undefined ? 'has no snapshot of this name' : 'has it only as removed, and may be merging it';
    throw replicaError('SNAPSHOT_NOT_FOUND', `${record.replica} ${why}: ${name}`, {
      nextStep: 'List the snapshots of the volume and choose one that is not removed.',
    });
  }
  return layer;
}

/** The file that the header of this layer names as the one below. */
export const fileBelow = (record: ReplicaRecord, layer: Layer): string | undefined =>
  layer.parent === null ? undefined : layerOf(record, layer.parent).file;

export const replaceLayer = (record: ReplicaRecord, changed: Layer): readonly Layer[] =>
  record.layers.map((layer) => (layer.id === changed.id ? changed : layer));

/** The layer without its checksum, because its file has changed or may be damaged. */
export function withoutSum(layer: Layer): Layer {
  if (layer.snapshot === undefined) return layer;
  const { sum: _sum, ...snapshot } = layer.snapshot;
  return { ...layer, snapshot };
}

/**
 * Records how many bytes of this layer's file are durable. The value never decreases: a file shorter than it was truncated, and stays
 * recognisable as such.
 */
export function withFileBytes(record: ReplicaRecord, id: number, fileBytes: number): ReplicaRecord {
  const layer = layerOf(record, id);
  if (fileBytes <= (layer.fileBytesMin ?? 0)) return record;
  return { ...record, layers: replaceLayer(record, { ...layer, fileBytesMin: fileBytes }) };
}
