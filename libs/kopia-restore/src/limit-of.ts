import type { RestoreLimit } from '@lateen/datapath';
import type { PackReaderFigures } from '@lateen/pack-reader';

/** What a restore has measured of itself, for {@link limitOf}. */
export interface LimitFigures {
  seconds: number;
  /** That this process may use; a part of one counts. */
  cpus: number;
  /** CPU time of this process, worker threads included. */
  cpuSeconds: number;
  reader: Pick<PackReaderFigures, 'requests' | 'fetchedBytes' | 'requestMs' | 'firstByteMs'> &
    Pick<PackReaderFigures, 'waitedForTakerMs' | 'waitedForStoreMs' | 'waitedForMemoryMs'>;
  /** The rate limit for reading from the location, if it is set. */
  bytesPerSecondMax: number | undefined;
}

export const limitThresholds = {
  /** Of the whole time: shorter waits are those before the first bytes of a window, which no store can spare. */
  waitShare: 0.2,
  /** Of the set rate: more is never reached, since requests begin and end. */
  rateShare: 0.8,
  /** Of the CPUs: the rest goes to the kernel's own work and to waits too short to count. */
  cpuShare: 0.75,
  /** Of the time of requests: from here on most of it is waiting for the first byte. */
  latencyShare: 0.5,
  /** Shorter restores are over before anything can limit them. */
  secondsMin: 1,
} as const;

/**
 * What limited the speed of a restore. The longer wait decides the side: if writers waited for bytes much of the time,
 * it was the store, its rate or the memory for requests; otherwise it was writing. Pure.
 */
export function limitOf(figures: LimitFigures): RestoreLimit | undefined {
  const { seconds, reader } = figures;
  if (seconds < limitThresholds.secondsMin) return undefined;
  const { requests, waitedForStoreMs, waitedForTakerMs } = reader;
  const isLong = waitedForStoreMs >= limitThresholds.waitShare * seconds * 1000;
  if (requests > 0 && isLong && waitedForStoreMs > waitedForTakerMs) return limitOfStore(figures);
  const { cpus, cpuSeconds } = figures;
  return cpuSeconds >= limitThresholds.cpuShare * cpus * seconds ? 'cpu' : 'disk';
}

function limitOfStore({ seconds, reader, bytesPerSecondMax, cpus, cpuSeconds }: LimitFigures): RestoreLimit {
  const { rateShare, latencyShare, cpuShare, waitShare } = limitThresholds;
  if (bytesPerSecondMax !== undefined && reader.fetchedBytes / seconds >= rateShare * bytesPerSecondMax) return 'rate';
  // Reading costs CPU too (TLS, copies): without idle CPU the store is not the limit.
  if (cpuSeconds >= cpuShare * cpus * seconds) return 'cpu';
  // By what requests took, not by how many could have been made: a restore of few requests never has all of them in flight.
  if (reader.firstByteMs < latencyShare * reader.requestMs) return 'store-bandwidth';
  return reader.waitedForMemoryMs >= waitShare * seconds * 1000 ? 'memory' : 'store-latency';
}
