import { findSnapshot, isFrozen, layerOf, pathDown } from '../record/layer-tree.ts';
import type { Layer, LayerSnapshot, ReplicaRecord } from '../record/replica-record.ts';

/** A frozen layer of the source replica. */
export interface SourceLayer {
  readonly snapshot: LayerSnapshot;
  /** The snapshot that it builds on. */
  readonly parent: string | undefined;
  readonly sizeBytes: bigint;
}

/** All frozen layers of a replica, each after the one that it builds on. */
export function sourceLayers(record: ReplicaRecord): readonly SourceLayer[] {
  return record.layers
    .filter(isFrozen)
    .sort((a, b) => pathDown(record, a.id).length - pathDown(record, b.id).length || a.id - b.id)
    .map((layer) => ({
      snapshot: layer.snapshot,
      parent: parentName(record, layer),
      sizeBytes: BigInt(layer.sizeBytes),
    }));
}

export interface CopyPlan {
  /** Our layers that the source does not have or that differ, with all layers that build on them. */
  readonly drop: readonly number[];
  readonly copy: readonly SourceLayer[];
}

/**
 * Which layers of the source are present already: those of the same name and size on the same parent, with equal checksums on both
 * sides. For a record that is being rebuilt. A merge removes checksums, so a layer that may be a mixture is never kept.
 */
export function planCopy(record: ReplicaRecord, source: readonly SourceLayer[]): CopyPlan {
  const kept = new Set<string>();
  const copy: SourceLayer[] = [];
  // The lowest of these has no layer below it until the copied layers are complete.
  const ownPath = new Set(pathDown(record, record.head).map(({ id }) => id));
  for (const layer of source) {
    const ours = findSnapshot(record, layer.snapshot.name);
    if (ours !== undefined && ownPath.has(ours.id)) continue;
    const standsRight = layer.parent === undefined || kept.has(layer.parent);
    if (ours !== undefined && standsRight && isSame(record, ours, layer)) kept.add(layer.snapshot.name);
    else copy.push(layer);
  }
  const drop = record.layers.filter(
    (layer) => isFrozen(layer) && !kept.has(layer.snapshot.name) && !ownPath.has(layer.id),
  );
  return { drop: drop.map(({ id }) => id), copy };
}

function isSame(record: ReplicaRecord, ours: Layer, theirs: SourceLayer): boolean {
  const sum = ours.snapshot?.sum?.sha256;
  return (
    sum !== undefined &&
    sum === theirs.snapshot.sum?.sha256 &&
    BigInt(ours.sizeBytes) === theirs.sizeBytes &&
    parentName(record, ours) === theirs.parent
  );
}

const parentName = (record: ReplicaRecord, layer: Layer): string | undefined =>
  layer.parent === null ? undefined : layerOf(record, layer.parent).snapshot?.name;
