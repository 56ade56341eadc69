import type { ReplicaLayers, SnapshotFact } from '@lateen/block-engine';
import { volumeHead } from '@lateen/storage-types';
import type { LiveEngine } from './live-engine.ts';

/**
 * The snapshots that every readable replica has, as the first of them lists them, and the head. A snapshot that some lack was never acknowledged, or
 * is being removed.
 */
export function commonSnapshots(chains: readonly ReplicaLayers[]): readonly SnapshotFact[] {
  const [first, ...others] = chains;
  if (first === undefined) return [];
  const parents = new Map(first.layers.map(({ name, parent }) => [name, parent]));
  const isCommon = (name: string) => others.every(({ layers }) => layers.some((layer) => layer.name === name));
  const isRemoved = (name: string) =>
    chains.some(({ layers }) => layers.some((one) => one.name === name && one.removed));
  const common = first.layers.filter(({ name }) => isCommon(name));
  const names = new Set(common.map(({ name }) => name));
  const below = (name: string | undefined): string | undefined => {
    let at = name;
    while (at !== undefined && !names.has(at)) at = parents.get(at);
    return at;
  };
  const headParent = below(first.headParent);
  const withParents = common.map(({ volumeBytes: _, ...fact }) => ({ ...fact, parent: below(fact.parent) }));
  const facts = withParents.map((fact): SnapshotFact => {
    const children = withParents.filter(({ parent }) => parent === fact.name).map(({ name }) => name);
    if (headParent === fact.name) children.push(volumeHead);
    return { ...fact, removed: isRemoved(fact.name), children };
  });
  return [...facts, headOf(first, headParent)];
}

const headOf = ({ headBytes }: ReplicaLayers, parent: string | undefined): SnapshotFact => ({
  name: volumeHead,
  ...(parent === undefined ? {} : { parent }),
  children: [],
  removed: false,
  userCreated: false,
  created: '',
  sizeBytes: headBytes,
  labels: {},
});

/** Asks the replicas again, and shows the result. Never rejects: what cannot be read is shown as an error. */
export async function refreshSnapshots(engine: LiveEngine): Promise<void> {
  const { replicas, ended, publish, log } = { ...engine.parts, log: engine.parts.ports.log };
  try {
    const asked = engine.readable.map((name) =>
      replicas.call(name, ended, (control, o) => control.layers(replicas.of(name), o)),
    );
    engine.snapshots = commonSnapshots(await Promise.all(asked));
    engine.snapshotsError = undefined;
  } catch (error) {
    if (ended.aborted) return;
    log.warn({ err: error }, 'the snapshots of the volume cannot be read');
    engine.snapshotsError = error instanceof Error ? error.message : String(error);
  }
  publish();
}
