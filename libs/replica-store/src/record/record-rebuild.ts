import { replicaError } from '../replica-error.ts';
import { findSnapshot, headOf, layerOf, pathDown, replaceLayer } from './layer-tree.ts';
import { takeBackGrow } from './record-grow.ts';
import { dropLayer, takeBackMerge } from './record-merge.ts';
import { takeBackSnapshot } from './record-snapshot.ts';
import { type LayerSnapshot, layerFile, type Pending, type ReplicaRecord } from './replica-record.ts';

/**
 * The head of before is stale: it goes away, never into another layer. The new one stands on nothing and takes the engine's writes;
 * the layers that are there stay, to be compared with those of the source. Its file is noted as garbage until then.
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
    // What a kill has taken was in the head that goes.
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

/** The head; of an earlier try also the layers below it that were frozen while they stood on nothing. */
function staleLayers(record: ReplicaRecord): ReadonlySet<number> {
  const stale = new Set([record.head]);
  if (record.state !== 'rebuilding') return stale;
  for (const layer of pathDown(record, record.head)) stale.add(layer.id);
  return stale;
}

/** What has been copied: a layer as the source has it. */
export interface CopiedLayer {
  readonly file: string;
  /** The snapshot that it stands on, by name. */
  readonly parent: string | undefined;
  readonly sizeBytes: bigint;
  readonly snapshot: LayerSnapshot;
}

/** Its file is whole and durable, and was noted as garbage until now. */
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

/** A layer that the source has otherwise, with all that stands on it. */
export function dropTree(record: ReplicaRecord, id: number): ReplicaRecord {
  let rest = record;
  const above = record.layers
    .filter((layer) => layer.id !== record.head && pathDown(record, layer.id).some((below) => below.id === id))
    .sort((a, b) => pathDown(record, b.id).length - pathDown(record, a.id).length);
  for (const layer of above) rest = dropLayer(rest, layer.id);
  return rest;
}

/**
 * The layers are there: what took writes meanwhile stands on the newest of them, and the replica is whole. The name of the file below has
 * to be written into the one that stood on nothing.
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

/** An engine has it for reading and writing. */
export const wholeRecord = (record: ReplicaRecord): ReplicaRecord => ({ ...record, state: 'whole' });
