import type { Call, SnapshotSumOf, SumProgress } from '@lateen/block-engine';
import { latestOf } from '../latest-of.ts';
import { notRunning } from './replica-entry.ts';
import type { ReplicaHost } from './replica-host.ts';

/** The sum of what a snapshot's own layer holds (kept in the record, and told from there where only what has changed is to be read), or of what it reads as: said when it begins, and at its end. @throws `INSTANCE_NOT_FOUND`, `SNAPSHOT_NOT_FOUND` */
export async function* snapshotSum(
  host: ReplicaHost,
  { replica, snapshot, layerAlone, onlyChanged = false, bytesPerSecond }: SnapshotSumOf,
  { signal }: Call,
): AsyncGenerator<SumProgress> {
  const entry = host.find(replica);
  if (entry?.line.connected === undefined) throw notRunning(replica);
  const pace = bytesPerSecond === undefined ? {} : { bytesPerSecondMax: Number(bytesPerSecond) };
  yield* latestOf<SumProgress>(async (tell, ends) => {
    const facts = entry.instance().replica?.snapshots.find(({ name }) => name === snapshot);
    const totalBytes = facts?.sizeBytes ?? 0n;
    tell({ doneBytes: 0n, totalBytes });
    const { store } = entry;
    const o = { ...pace, signal: ends };
    const kept = layerAlone && onlyChanged ? await store.keptSumOf(snapshot, o) : undefined;
    if (kept !== undefined) return [{ doneBytes: totalBytes, totalBytes, sum: kept }];
    const sum = await (layerAlone ? store.sumOf(snapshot, o) : store.contentSumOf(snapshot, o));
    await entry.refresh({ signal: ends });
    entry.retell();
    return [{ doneBytes: totalBytes, totalBytes, sum }];
  }, signal);
}
