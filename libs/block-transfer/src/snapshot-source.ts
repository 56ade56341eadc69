import type { StatusLink } from '@lateen/block-engine';
import type { BlockSource, Extent } from '@lateen/block-store';
import { AppError } from '@lateen/errors';
import { chainRuns } from '@lateen/replica-store';

/** A snapshot of a replica, opened with all layers below it. Nothing is merged in them while it is open. */
export interface OpenedChain extends AsyncDisposable {
  readonly link: StatusLink;
  /** Names of the snapshots that the layers are of, from the opened one down; read after it was opened. Removed ones are named too. */
  readonly chain: readonly string[];
}

/** Longest request to the replica: what an engine asks for at once. */
const readBytesMax = 2 * 1024 * 1024;

/**
 * A snapshot as a backup reads it. What has changed since an earlier snapshot is what lies in a layer above that one, so only layers'
 * tables are read to find it.
 */
export function snapshotSource({ link, chain }: OpenedChain, signal: AbortSignal): BlockSource {
  return {
    sizeBytes: link.sizeBytes,
    changed: (since) => changedAreas(link, since === undefined ? undefined : layersAbove(chain, since), signal),
    read: async (at, into) => {
      for (let offset = 0; offset < into.length; offset += readBytesMax) {
        signal.throwIfAborted();
        const lengthBytes = Math.min(readBytesMax, into.length - offset);
        let filled = offset;
        for (const piece of await link.read(at + BigInt(offset), lengthBytes)) {
          into.set(piece, filled);
          filled += piece.length;
        }
      }
    },
  };
}

/** Zeros that were written since hide what was there, so they have changed; without `layers` zeros are what a block that is not stored reads as. */
async function* changedAreas(
  link: StatusLink,
  layers: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<Extent> {
  for await (const { depth, isZero, at, lengthBytes } of chainRuns(link, signal)) {
    const counts = depth > 0 && (layers === undefined ? !isZero : depth <= layers);
    if (counts) yield { startBytes: at, lengthBytes: BigInt(lengthBytes) };
  }
}

/** How many layers lie above the one of `since`. */
function layersAbove(chain: readonly string[], since: string): number {
  const at = chain.indexOf(since);
  if (at > 0) return at;
  throw new AppError('SNAPSHOT_NOT_FOUND', `the snapshot does not build on snapshot ${since}`, { retry: 'never' });
}
