import { int64Of, type Replica } from '@lateen/storage-types';
import { byName, nameOf } from '../volume/replica-facts.ts';

/** The full size in bytes of each replica on a disk. Failed replicas and replicas being deleted count, because their data still exists. */
export function scheduledOnDisk(node: string, uuid: string, replicas: readonly Replica[]): ReadonlyMap<string, bigint> {
  const here = replicas.filter(({ spec }) => uuid !== '' && spec.nodeID === node && spec.diskID === uuid);
  // A size that is not a number is refused everywhere else; here it counts as zero.
  const sizeOf = ({ spec }: Replica): bigint => {
    const bytes = int64Of(spec.volumeSize) ?? 0n;
    return bytes > 0n ? bytes : 0n;
  };
  return new Map(here.sort(byName).map((replica) => [nameOf(replica), sizeOf(replica)]));
}
