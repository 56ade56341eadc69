import { replicaError } from '../replica-error.ts';
import { findSnapshot, headOf, layerOf, pathDown, replaceLayer } from './layer-tree.ts';
import { takeBackGrow } from './record-grow.ts';
import { dropLayer, takeBackMerge } from './record-merge.ts';
import { takeBackSnapshot } from './record-snapshot.ts';
import { type LayerSnapshot, layerFile, type Pending, type ReplicaRecord } from './replica-record.ts';

/**
 * The old head is stale: it is removed and never merged into another layer. The new head has no layer below it and takes the
 * engine's writes; the layers that are present stay, to be compared with those of the source. The new file is noted as garbage
 * until then.
 */
export function beginRebuild(before: ReplicaRecord, sizeBytes: bigint): ReplicaRecord {
  const record = takeBackSnapshot(takeBackMerge(takeBackGrow(before)));
  const stale = staleLayers(record);
  const id = record.nextId;
  const size = String(sizeBytes);
  const garbage = record.layers
    .filter((layer) => stale.has(layer.id))
    .map(({ file }): Pending => ({ kind: 'garbage', file }));
  const kept = record.layers.filter((layer) => !stale.has(layer.id));
  return {
    ...record,
    sizeBytes: size,
    state: 'rebuilding',
    // Writes that a kill may have lost were in the head that is removed.
    servedIn: 0,
    killedIn: 0,
    nextId: id + 1,
    layers: [...kept, { id, file: layerFile(id), parent: null, sizeBytes: size }],
    head: id,
    pending: [
      ...record.pending.filter(
        (one) => one.kind === 'garbage' || one.kind === 'copy' || (one.kind === 'relink' && !stale.has(one.layer)),
      ),
      ...garbage,
      { kind: 'create' },
    ],
  };
}

/** The head, and the layers below it that an earlier attempt froze while they had no layer below them. */
function staleLayers(record: ReplicaRecord): ReadonlySet<number> {
  const stale = new Set([record.head]);
  if (record.state !== 'rebuilding') return stale;
  for (const layer of pathDown(record, record.head)) stale.add(layer.id);
  return stale;
}

/** A copied layer, as the source has it. */
export interface CopiedLayer {
  readonly file: string;
  /** Name of the snapshot that it is based on. */
  readonly parent: string | undefined;
  readonly sizeBytes: bigint;
  readonly snapshot: LayerSnapshot;
}

/** Adds a layer whose file is complete and durable, and was noted as garbage until now. */
export function addCopied(record: ReplicaRecord, copied: CopiedLayer): ReplicaRecord {
  if (findSnapshot(record, copied.snapshot.name) !== undefined) {
    throw replicaError('SNAPSHOT_EXISTS', `${record.replica} has a layer for ${copied.snapshot.name} already`);
  }
  const parent = copied.parent === undefined ? null : parentOf(record, copied.parent);
  const layer = {
    id: record.nextId,
    file: copied.file,
    parent,
    sizeBytes: String(copied.sizeBytes),
    snapshot: copied.snapshot,
  };
  return {
    ...record,
    nextId: record.nextId + 1,
    layers: [...record.layers, layer],
    pending: record.pending.filter((one) => !(one.kind !== 'relink' && 'file' in one && one.file === copied.file)),
  };
}

function parentOf(record: ReplicaRecord, name: string): number {
  const found = findSnapshot(record, name);
  if (found === undefined) throw replicaError('SNAPSHOT_NOT_FOUND', `${record.replica} has no layer for ${name} yet`);
  return found.id;
}

/** Removes a layer that differs from the source, with all layers based on it. */
export function dropTree(record: ReplicaRecord, id: number): ReplicaRecord {
  let rest = record;
  const above = record.layers
    .filter((layer) => layer.id !== record.head && pathDown(record, layer.id).some((below) => below.id === id))
    .sort((a, b) => pathDown(record, b.id).length - pathDown(record, a.id).length);
  for (const layer of above) rest = dropLayer(rest, layer.id);
  return rest;
}

/**
 * All layers are present: the layers that took writes meanwhile are put on the newest of them, and the replica is whole. The name
 * of the file below then has to be written into the lowest of the layers that took writes.
 */
export function attachHead(record: ReplicaRecord, snapshot: string | undefined): ReplicaRecord {
  if (record.state !== 'rebuilding') return record;
  const base = pathDown(record, record.head).at(-1) ?? headOf(record);
  const parent = snapshot === undefined ? null : parentOf(record, snapshot);
  if (parent !== null && pathDown(record, parent).some(({ id }) => id === base.id)) {
    throw replicaError('NOT_POSSIBLE_NOW', `${record.replica} is attached to ${snapshot} already`);
  }
  return {
    ...record,
    state: 'whole',
    layers: replaceLayer(record, { ...layerOf(record, base.id), parent }),
    pending: [...record.pending, { kind: 'relink', layer: base.id }],
  };
}

/** The record of a replica that an engine reads and writes. */
export const wholeRecord = (record: ReplicaRecord): ReplicaRecord => ({ ...record, state: 'whole' });
