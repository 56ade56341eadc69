import { type CapacityRange, decideCapacity, fitsRange } from '../capacity.ts';
import type { VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { findVolume } from './find-record.ts';

/**
 * Makes a volume larger; one that is large enough stays as it is. The device and the file system follow on the node.
 * @throws AppError `OUT_OF_RANGE` when it is larger than the limit already, `NOT_FOUND`, `RESOURCE_EXHAUSTED`.
 */
export async function expandVolume(deps: VolumeDeps, id: string, range: CapacityRange): Promise<VolumeRecord> {
  const record = findVolume(deps, id);
  const wantedBytes = range.requiredBytes === undefined ? record.capacityBytes : decideCapacity(range);
  const capacityBytes = Math.max(record.capacityBytes, wantedBytes);
  if (!fitsRange(capacityBytes, range)) {
    throw volumeError('OUT_OF_RANGE', `volume ${id} has ${record.capacityBytes} bytes and cannot shrink`);
  }
  if (capacityBytes > record.capacityBytes) {
    await deps.admission.admit(capacityBytes - record.capacityBytes, `growing ${id}`, () =>
      deps.store.put({ ...record, capacityBytes }),
    );
  }
  // The record first: after a crash the promise stands, and the repeated call (or the next stage) lengthens the file.
  await deps.host.files.growSparse(deps.paths.backingFile(record), capacityBytes);
  return { ...record, capacityBytes };
}
