import type { ReplicaLayers, StatusLink } from '@lateen/block-engine';

interface Extent {
  readonly startBytes: bigint;
  readonly lengthBytes: bigint;
}

export interface ComparedHead {
  readonly link: StatusLink;
  /** The number of layers from the head down that may differ from those of other replicas. */
  readonly layers: number;
}

/**
 * How many layers from the head downwards have to be compared, by replica: those above the topmost snapshot that all of them have. This snapshot
 * reads the same everywhere, whatever was merged below it. Usually only the head; more when an engine died between snapshots or reverts of its
 * replicas. All layers when there is no such snapshot, or when a replica does not report its chain.
 */
export function layersToCompare(chains: ReadonlyMap<string, ReplicaLayers | undefined>): ReadonlyMap<string, number> {
  const paths = new Map([...chains].map(([name, layers]) => [name, layers === undefined ? [] : keptPath(layers)]));
  const [first = []] = paths.values();
  const common = first.find((one) => [...paths.values()].every((path) => path.some(({ key }) => key === one.key)));
  const layersOf = (path: readonly { key: string; depth: number }[]) =>
    path.find(({ key }) => key === common?.key)?.depth ?? Number.POSITIVE_INFINITY;
  return new Map([...paths].map(([name, path]) => [name, layersOf(path)]));
}

/** Kept snapshots below the head, the newest first. A removed one may be a mixture of two while it is merged. */
function keptPath({ headParent, layers }: ReplicaLayers): readonly { key: string; depth: number }[] {
  const byName = new Map(layers.map((layer) => [layer.name, layer]));
  const path: { key: string; depth: number }[] = [];
  let depth = 1;
  for (let layer = byName.get(headParent ?? ''); layer !== undefined; layer = byName.get(layer.parent ?? '')) {
    if (!layer.removed) path.push({ key: `${layer.created} ${layer.name}`, depth });
    depth += 1;
    byName.delete(layer.name);
  }
  return path;
}

/** All areas that any of them holds in these layers: ascending, not overlapping. */
export async function* headExtents(
  heads: readonly ComparedHead[],
  { sizeBytes, statusBytes }: { sizeBytes: bigint; statusBytes: number },
): AsyncGenerator<Extent, void, undefined> {
  if (heads.some(({ link }) => !link.contexts.includes('qemu:allocation-depth'))) {
    yield { startBytes: 0n, lengthBytes: sizeBytes };
    return;
  }
  for (let at = 0n; at < sizeBytes; at += BigInt(statusBytes)) {
    const left = sizeBytes - at;
    const length = left < BigInt(statusBytes) ? Number(left) : statusBytes;
    const found = await Promise.all(heads.map((head) => allocated(head, at, length)));
    yield* united(found.flat());
  }
}

async function allocated({ link, layers }: ComparedHead, from: bigint, lengthBytes: number): Promise<Extent[]> {
  const end = from + BigInt(lengthBytes);
  const found: Extent[] = [];
  for (let at = from; at < end; ) {
    const runs = await link.status('qemu:allocation-depth', at, Number(end - at));
    const before = at;
    for (const run of runs) {
      const stop = at + BigInt(run.lengthBytes) < end ? at + BigInt(run.lengthBytes) : end;
      if (run.value >= 1 && run.value <= layers && stop > at) found.push({ startBytes: at, lengthBytes: stop - at });
      at = stop;
    }
    if (at === before) throw new RangeError('a replica does not report what is allocated');
  }
  return found;
}

function* united(extents: readonly Extent[]): Generator<Extent, void, undefined> {
  const sorted = [...extents].sort((a, b) => (a.startBytes < b.startBytes ? -1 : 1));
  let open: Extent | undefined;
  for (const { startBytes, lengthBytes } of sorted) {
    const openEnd: bigint | undefined = open && open.startBytes + open.lengthBytes;
    if (open !== undefined && openEnd !== undefined && startBytes <= openEnd) {
      const end = startBytes + lengthBytes > openEnd ? startBytes + lengthBytes : openEnd;
      open = { startBytes: open.startBytes, lengthBytes: end - open.startBytes };
      continue;
    }
    if (open !== undefined) yield open;
    open = { startBytes, lengthBytes };
  }
  if (open !== undefined) yield open;
}
