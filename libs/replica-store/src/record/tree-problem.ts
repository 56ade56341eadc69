import { type Layer, pendingOf, type ReplicaRecord } from './replica-record.ts';

/**
 * Why the layers of a record are not one tree with the head as a leaf; undefined when they are. Checked for a record read from a
 * file; every step keeps it valid.
 */
export function treeProblem(record: ReplicaRecord): string | undefined {
  const ids = new Map(record.layers.map((layer) => [layer.id, layer]));
  const head = ids.get(record.head);
  if (head === undefined) return `its head is layer ${record.head}, which it does not have`;
  if (head.snapshot !== undefined) return 'its head is frozen';
  return (
    repeated(
      'layer',
      record.layers.map(({ id }) => id),
    ) ??
    repeated('file', filesOf(record)) ??
    repeated('snapshot', snapshotNames(record)) ??
    firstProblem(record.layers, (layer) => layerProblem(record, layer, ids)) ??
    pendingProblem(record, ids)
  );
}

function layerProblem(record: ReplicaRecord, layer: Layer, ids: ReadonlyMap<number, Layer>): string | undefined {
  if (layer.id >= record.nextId) return `layer ${layer.id} is not below nextId ${record.nextId}`;
  if (layer.id !== record.head && layer.snapshot === undefined) return `layer ${layer.id} is neither head nor snapshot`;
  if (layer.parent === record.head) return `layer ${layer.id} builds on the head`;
  let at: Layer | undefined = layer;
  for (let steps = 0; at?.parent != null; steps++) {
    const below = ids.get(at.parent);
    if (below === undefined) return `layer ${at.id} builds on layer ${at.parent}, which it does not have`;
    if (steps > ids.size) return `layer ${layer.id} builds on itself`;
    at = below;
  }
  return undefined;
}

function pendingProblem(record: ReplicaRecord, ids: ReadonlyMap<number, Layer>): string | undefined {
  const merge = pendingOf(record, 'merge');
  if (merge !== undefined && ids.get(merge.child)?.parent !== merge.into)
    return 'its pending merge is of no two layers';
  const snapshot = pendingOf(record, 'snapshot');
  if (snapshot !== undefined && snapshot.overlay.id >= record.nextId)
    return 'its pending snapshot has an id of the future';
  return firstProblem(record.pending, (one) =>
    one.kind === 'relink' && !ids.has(one.layer) ? `layer ${one.layer} waits to be linked and is not there` : undefined,
  );
}

/** All files of a record: a file that is removed at open must not belong to a layer. */
const filesOf = (record: ReplicaRecord): readonly string[] => [
  ...record.layers.map(({ file }) => file),
  ...record.pending.flatMap((one) => (one.kind === 'garbage' || one.kind === 'copy' ? [one.file] : [])),
  ...record.pending.flatMap((one) => (one.kind === 'snapshot' ? [one.overlay.file] : [])),
];

const snapshotNames = (record: ReplicaRecord): readonly string[] => [
  ...record.layers.flatMap((layer) => (layer.snapshot === undefined ? [] : [layer.snapshot.name])),
  ...record.pending.flatMap((one) => (one.kind === 'snapshot' ? [one.snapshot.name] : [])),
];

function repeated(what: string, values: readonly (string | number)[]): string | undefined {
  const seen = new Set<string | number>();
  return firstProblem(values, (value) => {
    if (seen.has(value)) return `it has the ${what} ${value} twice`;
    seen.add(value);
    return undefined;
  });
}

function firstProblem<T>(values: readonly T[], problemOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const problem = problemOf(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
