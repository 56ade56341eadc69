import { int64Of, type Replica } from '@lateen/storage-types';
import { byName, nameOf } from '../volume/replica-facts.ts';

/** Size in bytes that each replica on a disk may grow to. Failed ones count, and such as are being deleted: their data is still there. */
export function scheduledOnDisk(node: string, uuid: string, replicas: readonly Replica[]): ReadonlyMap<string, bigint> {
  const here = replicas.filter(({ spec }) => uuid !== '' && spec.nodeID === node && spec.diskID === uuid);
  // A size that is no number is refused everywhere else; it takes no room.
  const sizeOf = ({ spec }: Replica): bigint => {
    const bytes = int64Of(spec.volumeSize) ?? 0n;
    return bytes > 0n ? bytes : 0n;
  };
  return new Map(here.sort(byName).map((replica) => [nameOf(replica), sizeOf(replica)]));
}
