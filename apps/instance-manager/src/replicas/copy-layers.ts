import type { Call, CopyLayers, CopyProgress } from '@lateen/block-engine';
import { latestOf } from '../latest-of.ts';
import { copySource } from './copy-source.ts';
import type { ReplicaEntry } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/** Copies the layers of another replica, one after the other; see `ReplicaControl`. */
export async function* copyLayers(
  host: ReplicaHost,
  request: CopyLayers,
  { signal }: Call,
  serving: (o: Call) => Promise<ReplicaEntry>,
): AsyncGenerator<CopyProgress> {
  const entry = await serving({ signal });
  const { ports } = host;
  const { sourceReplica, sourceManager, volumeUid, generation, fast, bytesPerSecond } = request;
  using peer = await ports.peer(sourceManager);
  const { clock, random, exportKey } = ports;
  const log = ports.log.child({ replica: request.replica });
  const of = { replica: sourceReplica, volumeUid, generation };
  const source = copySource({ peer, of, fast, exportKey, clock, random, log });
  const pace = bytesPerSecond === undefined ? {} : { bytesPerSecondMax: Number(bytesPerSecond) };
  yield* latestOf<CopyProgress>(async (tell, ends) => {
    const sizes = new Map(
      (await peer.control.layers(of, { signal: ends })).layers.map((one) => [one.name, one.sizeBytes]),
    );
    let last: CopyProgress | undefined;
    await entry.store.pullLayers(source, {
      ...pace,
      signal: ends,
      onProgress: ({ snapshot, layer, layers, copiedBytes }) => {
        last = {
          ...{ snapshot, layer, layers, skipped: false },
          doneBytes: BigInt(copiedBytes),
          totalBytes: sizes.get(snapshot) ?? 0n,
        };
        tell(last);
      },
    });
    await entry.refresh({ signal: ends });
    entry.retell();
    return last === undefined ? [] : [last];
  }, signal);
}
