import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { findSnapshot } from '../record/layer-tree.ts';
import type { Layer } from '../record/replica-record.ts';
import { openReader } from '../store/readers.ts';
import type { Replica } from '../store/replica.ts';
import { type CopyPace, sumChain, sumLayer } from './copy-layer.ts';

/** The checksum of a snapshot's layer, read now and stored in the record. */
export const sumOf = (replica: Replica, snapshot: string, o: Omit<CopyPace, 'clock'>): Promise<string> =>
  reading(replica, { snapshot, view: 'alone', exportName: `sum.${snapshot}` }, o, async (link, pace) => {
    // Read before the data: a write during the read then makes the checksum outdated.
    const fileModifiedMs = await modifiedMs(replica, findSnapshot(await replica.known(o), snapshot));
    const modified = fileModifiedMs === undefined ? {} : { fileModifiedMs };
    const sha256 = await sumLayer(link, pace);
    const at = new Date(replica.ports.clock.now()).toISOString();
    // While the reader still blocks merges: later, a merge might have changed the layer.
    await replica.exclusive(o, async () => {
      const { record } = replica;
      const layers = record.layers.map((layer) =>
        layer.snapshot?.name === snapshot
          ? { ...layer, snapshot: { ...layer.snapshot, sum: { sha256, at, ...modified } } }
          : layer,
      );
      await replica.change({ ...record, layers });
    });
    return sha256;
  });

/**
 * The checksum in the record, if the layer was not written since it was read: a merge removes it, a copied layer has none of this kind, and
 * the modification time of the file shows later writes. Undefined: the layer has to be read.
 */
export async function keptSumOf(replica: Replica, snapshot: string, o: Call): Promise<string | undefined> {
  const layer = findSnapshot(await replica.known(o), snapshot);
  const sum = layer?.snapshot?.sum;
  if (sum?.fileModifiedMs === undefined || (await modifiedMs(replica, layer)) !== sum.fileModifiedMs) return undefined;
  return sum.sha256;
}

const modifiedMs = async ({ ports }: Replica, layer: Layer | undefined): Promise<number | undefined> =>
  layer === undefined ? undefined : (await ports.folder.facts(layer.file))?.modifiedMs;

/** The checksum of a snapshot's content through all layers below it. Not stored: it is needed only when checksums of layers differ. */
export const contentSumOf = (replica: Replica, snapshot: string, o: Omit<CopyPace, 'clock'>): Promise<string> =>
  reading(replica, { snapshot, view: 'chain', exportName: `content.${snapshot}` }, o, sumChain);

/** Closes the reader after an abort too: otherwise it would block merges for ever. */
async function reading(
  replica: Replica,
  wanted: Parameters<typeof openReader>[1],
  o: Omit<CopyPace, 'clock'>,
  act: typeof sumChain,
): Promise<string> {
  const { blocks, clock } = replica.ports;
  const reader = await openReader(replica, wanted, o);
  try {
    await using link = await blocks.connect(wanted.exportName, o);
    return await act(link, { ...o, clock });
  } finally {
    await reader.close({ signal: clock.deadline(replicaLimits.unexportMs) });
  }
}
