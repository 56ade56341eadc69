import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { findSnapshot } from '../record/layer-tree.ts';
import type { Layer } from '../record/replica-record.ts';
import { openReader } from '../store/readers.ts';
import type { Replica } from '../store/replica.ts';
import { type CopyPace, sumChain, sumLayer } from './copy-layer.ts';

/** The sum of a snapshot's layer, read now and kept in the record. */
export const sumOf = (replica: Replica, snapshot: string, o: Omit<CopyPace, 'clock'>): Promise<string> =>
  reading(replica, { snapshot, view: 'alone', exportName: `sum.${snapshot}` }, o, async (link, pace) => {
    // Before it is read: what is written meanwhile makes the sum an old one.
    const fileModifiedMs = await modifiedMs(replica, findSnapshot(await replica.known(o), snapshot));
    const modified = fileModifiedMs === undefined ? {} : { fileModifiedMs };
    const sha256 = await sumLayer(link, pace);
    const at = new Date(replica.ports.clock.now()).toISOString();
    // While the reader still holds merges off: afterwards it might be the sum of before one.
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
 * The sum in the record, while nothing was written to the layer since it was read: a merge takes it away, a copied layer has none of that kind, and
 * a file that was written to tells it by its time. Undefined: it has to be read.
 */
export async function keptSumOf(replica: Replica, snapshot: string, o: Call): Promise<string | undefined> {
  const layer = findSnapshot(await replica.known(o), snapshot);
  const sum = layer?.snapshot?.sum;
  if (sum?.fileModifiedMs === undefined || (await modifiedMs(replica, layer)) !== sum.fileModifiedMs) return undefined;
  return sum.sha256;
}

const modifiedMs = async ({ ports }: Replica, layer: Layer | undefined): Promise<number | undefined> =>
  layer === undefined ? undefined : (await ports.folder.facts(layer.file))?.modifiedMs;

/** The sum of what a snapshot reads as through all layers below it. Not kept: it is asked for when sums of layers differ. */
export const contentSumOf = (replica: Replica, snapshot: string, o: Omit<CopyPace, 'clock'>): Promise<string> =>
  reading(replica, { snapshot, view: 'chain', exportName: `content.${snapshot}` }, o, sumChain);

/** What was opened is closed after an abort too: merges would be held off for ever. */
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
