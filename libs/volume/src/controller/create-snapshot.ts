import { volumeLimits } from '../limits.ts';
import type { AnyRecord, SnapshotRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { idForName } from '../volume-id.ts';
import { copyIntent, copyVolumeData, planCopy } from './copy-volume.ts';
import { findVolume } from './find-record.ts';
import { orRollBack, removeRecordAndData } from './roll-back.ts';

export interface SnapshotRequest {
  name: string;
  sourceVolumeId: string;
  labels?: Readonly<Record<string, string>>;
}

/**
 * Keeps a volume as it is now; ready to use when this returns. Idempotent by name.
 * @throws AppError `ALREADY_EXISTS` for the same name of another volume, `NOT_FOUND`, `RESOURCE_EXHAUSTED`.
 */
export async function createSnapshot(
  deps: VolumeDeps,
  request: SnapshotRequest,
  signal: AbortSignal,
): Promise<SnapshotRecord> {
  const id = idForName('snapshot', request.name, deps.nodeId);
  const existing = deps.store.snapshot(id);
  if (existing?.state === 'ready') return checkSame(existing, request);
  if (existing !== undefined) await removeRecordAndData(deps, existing, signal);
  const source = findVolume(deps, request.sourceVolumeId);
  if (deps.store.snapshots().length >= volumeLimits.snapshotsMax) {
    throw volumeError(
      'RESOURCE_EXHAUSTED',
      `this node has ${volumeLimits.snapshotsMax} snapshots, more are not allowed`,
    );
  }
  const plan = await planCopy(deps, source, signal);
  const record = planSnapshot(id, request, source, deps.host.clock.now());
  const intent = { ...record, ...copyIntent(plan) };
  await deps.admission.admit(await copiedBytes(deps, source), `snapshot ${request.name}`, () => deps.store.put(intent));
  return orRollBack(deps, intent, async () => {
    await copyVolumeData(deps, plan, record, signal);
    const ready: SnapshotRecord = { ...record, state: 'ready' };
    await deps.store.put(ready);
    return ready;
  });
}

function planSnapshot(id: string, request: SnapshotRequest, source: VolumeRecord, nowMs: number): SnapshotRecord {
  return {
    kind: 'snapshot',
    id,
    name: request.name,
    state: 'creating',
    createdAtMs: nowMs,
    sourceVolumeId: source.id,
    sizeBytes: source.capacityBytes,
    ...(request.labels === undefined ? {} : { labels: request.labels }),
    ...(source.fileSystem === undefined ? {} : { fileSystem: source.fileSystem }),
  };
}

/** A reflink takes no room; a plain copy takes what the volume has. */
export async function copiedBytes(deps: VolumeDeps, source: AnyRecord): Promise<number> {
  if (deps.copyMode === 'reflink') return 0;
  return (await deps.host.files.facts(deps.paths.backingFile(source)))?.allocatedBytes ?? 0;
}

function checkSame(existing: SnapshotRecord, request: { name: string; sourceVolumeId: string }): SnapshotRecord {
  if (existing.sourceVolumeId === request.sourceVolumeId) return existing;
  throw volumeError('ALREADY_EXISTS', `snapshot ${request.name} exists, of volume ${existing.sourceVolumeId}`);
}
