import { type CapacityRange, decideCapacity, fitsRange } from '../capacity.ts';
import { copyFile } from '../host/copy-file.ts';
import { volumeLimits } from '../limits.ts';
import type { AnyRecord, ContentSource, FileSystemType, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { idForName } from '../volume-id.ts';
import { type CopyPlan, copyIntent, copyVolumeData, planCopy } from './copy-volume.ts';
import { findSource } from './find-record.ts';
import { orRollBack, removeRecordAndData } from './roll-back.ts';

export interface CreateVolumeRequest {
  name: string;
  range?: CapacityRange;
  source?: ContentSource;
  /** The file system that will be asked for at stage, when the request knows it. Decides the smallest size. */
  fileSystem?: FileSystemType;
}

/**
 * Makes a volume, or finds the one an earlier call of this name made. Intent, data, commit: a crash at any point leaves
 * either nothing that counts or the finished volume.
 * @throws AppError `ALREADY_EXISTS` for the same name with another size or source, `NOT_FOUND` for an unknown source,
 * `OUT_OF_RANGE`, `RESOURCE_EXHAUSTED`.
 */
export async function createVolume(
  deps: VolumeDeps,
  request: CreateVolumeRequest,
  signal: AbortSignal,
): Promise<VolumeRecord> {
  const id = idForName('volume', request.name, deps.nodeId);
  const existing = deps.store.volume(id);
  if (existing?.state === 'ready') return checkSame(existing, request);
  if (existing !== undefined) await removeRecordAndData(deps, existing, signal);
  const source = request.source === undefined ? undefined : findSource(deps, request.source);
  const copy = source?.kind === 'volume' ? await planCopy(deps, source, signal) : undefined;
  const record = planVolume(id, request, source, deps.host.clock.now());
  const intent = { ...record, ...copyIntent(copy) };
  if (deps.store.volumes().length >= volumeLimits.volumesMax) throw tooMany();
  const sharedBytes = deps.copyMode === 'reflink' && source !== undefined ? await allocatedBytes(deps, source) : 0;
  await deps.admission.admit(record.capacityBytes - sharedBytes, `volume ${request.name}`, () =>
    deps.store.put(intent),
  );
  return orRollBack(deps, intent, async () => {
    await makeData(deps, record, copy ?? source, signal);
    const ready: VolumeRecord = { ...record, state: 'ready' };
    await deps.store.put(ready);
    return ready;
  });
}

/** The record of a new volume. Pure. A copy is at least as large as what it is made from. */
export function planVolume(
  id: string,
  request: CreateVolumeRequest,
  source: AnyRecord | undefined,
  nowMs: number,
): VolumeRecord {
  const bytesMin = Math.max(
    request.fileSystem === 'xfs' ? volumeLimits.xfsBytesMin : volumeLimits.bytesMin,
    source === undefined ? 0 : sizeOf(source),
  );
  const inherited = source?.fileSystem;
  return {
    kind: 'volume',
    id,
    name: request.name,
    state: 'creating',
    createdAtMs: nowMs,
    capacityBytes: decideCapacity(request.range, bytesMin),
    ...(request.source === undefined ? {} : { source: request.source }),
    ...(request.fileSystem === undefined ? {} : { defaultFileSystem: request.fileSystem }),
    ...(inherited === undefined ? {} : { fileSystem: inherited }),
  };
}

const sizeOf = (record: AnyRecord) => (record.kind === 'volume' ? record.capacityBytes : record.sizeBytes);

async function makeData(
  deps: VolumeDeps,
  record: VolumeRecord,
  source: CopyPlan | AnyRecord | undefined,
  signal: AbortSignal,
): Promise<void> {
  const to = deps.paths.backingFile(record);
  if (source === undefined) return deps.host.files.createSparse(to, record.capacityBytes);
  if (source.kind === 'frozen' || source.kind === 'device') await copyVolumeData(deps, source, record, signal);
  else await copyFile(deps.host, deps.copyMode, { from: deps.paths.backingFile(source), to }, signal);
  await deps.host.files.growSparse(to, record.capacityBytes);
}

function checkSame(existing: VolumeRecord, request: CreateVolumeRequest): VolumeRecord {
  const sameSource = existing.source?.kind === request.source?.kind && existing.source?.id === request.source?.id;
  if (sameSource && fitsRange(existing.capacityBytes, request.range)) return existing;
  const difference = sameSource ? `has ${existing.capacityBytes} bytes` : 'was made from another source';
  throw volumeError('ALREADY_EXISTS', `volume ${request.name} exists and ${difference}`);
}

async function allocatedBytes(deps: VolumeDeps, record: AnyRecord): Promise<number> {
  return (await deps.host.files.facts(deps.paths.backingFile(record)))?.allocatedBytes ?? 0;
}

function tooMany(): Error {
  return volumeError('RESOURCE_EXHAUSTED', `this node has ${volumeLimits.volumesMax} volumes, more are not allowed`);
}
