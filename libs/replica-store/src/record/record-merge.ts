import { replicaError } from '../replica-error.ts';
import { childrenOf, type FrozenLayer, layerOf, pathDown, withoutSum } from './layer-tree.ts';
import { type Layer, type Pending, pendingOf, type ReplicaRecord, withoutPending } from './replica-record.ts';

/**
 * One step of a purge. `drop`: remove a layer that no other layer is based on. `merge`: write the child's data over that of the
 * removed layer.
 */
export type PurgeStep =
  | { readonly kind: 'drop'; readonly layer: number }
  | { readonly kind: 'merge'; readonly child: number; readonly into: number };

/** Why the layer of a removed snapshot cannot be purged yet. */
export type PurgeWait = { readonly snapshot: string; readonly because: 'below the head' | 'two layers build on it' };

export interface PurgePlan {
  readonly steps: readonly PurgeStep[];
  readonly waiting: readonly PurgeWait[];
}

/**
 * What can be done now with the layers of removed snapshots, lowest first. A step may make more steps possible, so the purge
 * plans again after each one.
 *
 * Never merges into the parent of the head: its only child is being written to. Never into a layer with two children: each child
 * needs its data.
 */
export function planPurge(record: ReplicaRecord): PurgePlan {
  const removed = record.layers
    .filter((layer): layer is FrozenLayer => layer.snapshot?.removed === true)
    .sort((a, b) => depthOf(record, a) - depthOf(record, b) || a.id - b.id);
  const dropped = new Set(removed.filter(({ id }) => childrenOf(record, id).length === 0).map(({ id }) => id));
  const steps: PurgeStep[] = [...dropped].map((layer) => ({ kind: 'drop', layer }));
  const waiting: PurgeWait[] = [];
  const merging = new Set<number>();
  for (const layer of removed) {
    const children = childrenOf(record, layer.id);
    const [child] = children;
    if (child === undefined || dropped.has(child.id) || merging.has(layer.id)) continue;
    const snapshot = layer.snapshot.name;
    if (children.length > 1) waiting.push({ snapshot, because: 'two layers build on it' });
    else if (child.id === record.head) waiting.push({ snapshot, because: 'below the head' });
    else {
      steps.push({ kind: 'merge', child: child.id, into: layer.id });
      merging.add(child.id);
    }
  }
  return { steps, waiting };
}

const depthOf = (record: ReplicaRecord, layer: Layer): number => pathDown(record, layer.id).length;

/** Written to disk before the first byte is merged: the sum of the lower layer is no longer valid. */
export function beginMerge(record: ReplicaRecord, child: number, into: number): ReplicaRecord {
  const isPlanned = planPurge(record).steps.some(
    (step) => step.kind === 'merge' && step.child === child && step.into === into,
  );
  if (!isPlanned) throw replicaError('NOT_POSSIBLE_NOW', `layer ${child} cannot be merged into layer ${into}`);
  const begun: Pending = { kind: 'merge', child, into };
  return {
    ...record,
    layers: record.layers.map((layer) => (layer.id === into || layer.id === child ? withoutSum(layer) : layer)),
    pending: [...withoutPending(record, 'merge'), begun],
  };
}

/**
 * The child continues in the file of the removed layer, which now holds all of its data. Layers based on the child have to name
 * that file; the child's own file is removed.
 */
export function finishMerge(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'merge');
  if (begun === undefined) return record;
  const child = layerOf(record, begun.child);
  const into = layerOf(record, begun.into);
  // What is known about the length of one file does not apply to another file.
  const { fileBytesMin: _ofChild, ...rest } = child;
  const known = into.fileBytesMin === undefined ? {} : { fileBytesMin: into.fileBytesMin };
  const merged: Layer = { ...rest, file: into.file, parent: into.parent, ...known };
  const relinked = [child.id, ...childrenOf(record, child.id).map(({ id }) => id)];
  const pending = relink(withoutPending(record, 'merge'), relinked).filter(
    (one) => one.kind !== 'relink' || one.layer !== into.id,
  );
  return {
    ...record,
    layers: record.layers
      .filter((layer) => layer.id !== into.id)
      .map((layer) => (layer.id === child.id ? merged : layer)),
    pending: [...pending, garbageOf(child)],
  };
}

/** Undoes a merge that did not end. Its child reads as before; the names in the files above may have been written already. */
export function takeBackMerge(record: ReplicaRecord): ReplicaRecord {
  const begun = pendingOf(record, 'merge');
  if (begun === undefined) return record;
  const relinked = childrenOf(record, begun.child).map(({ id }) => id);
  return { ...record, pending: relink(withoutPending(record, 'merge'), relinked) };
}

/** Removes a layer of a removed snapshot that no other layer is based on. */
export function dropLayer(record: ReplicaRecord, id: number): ReplicaRecord {
  const layer = layerOf(record, id);
  if (id === record.head || childrenOf(record, id).length > 0) {
    throw replicaError('NOT_POSSIBLE_NOW', `layer ${id} of ${record.replica} is needed`);
  }
  return {
    ...record,
    layers: record.layers.filter((one) => one.id !== id),
    pending: [...record.pending.filter((one) => !(one.kind === 'relink' && one.layer === id)), garbageOf(layer)],
  };
}

const garbageOf = (layer: Layer): Pending => ({ kind: 'garbage', file: layer.file });

/** Names each of these layers once. */
const relink = (pending: readonly Pending[], layers: readonly number[]): readonly Pending[] => [
  ...pending.filter((one) => one.kind !== 'relink' || !layers.includes(one.layer)),
  ...layers.map((layer): Pending => ({ kind: 'relink', layer })),
];
