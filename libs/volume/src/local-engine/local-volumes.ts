import {
  type BlockSource,
  type BlockVolume,
  blockVolumeError,
  type Call,
  type CreateBlockVolume,
} from '@lateen/block-engine';
import { decideCapacity } from '../capacity.ts';
import { createVolume } from '../controller/create-volume.ts';
import { deleteVolume } from '../controller/delete-record.ts';
import { expandVolume } from '../controller/expand-volume.ts';
import { runQuick } from '../host/host.ts';
import { loopsOf } from '../host/loop-devices.ts';
import { isMounted, usageOf } from '../host/usage.ts';
import { volumeLimits } from '../limits.ts';
import type { ContentSource, VolumeRecord } from '../store/records.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { changing, snapshotId, snapshotNamed, volumeId, volumeNamed } from './engine-names.ts';

export async function createLocal(deps: LocalEngineDeps, request: CreateBlockVolume, o: Call): Promise<BlockVolume> {
  const { name, source, parameters = {} } = request;
  const ids = () => [volumeId(deps, name), ...(source?.kind === 'volume' ? [volumeId(deps, source.volume)] : [])];
  const reads = () => (source?.kind === 'snapshot' ? [snapshotId(deps, source.snapshot)] : []);
  return changing(deps, o, { what: 'volume', ids, reads }, async () => {
    const [unknown] = Object.keys(parameters);
    if (unknown !== undefined) throw refused(`the engine local has no parameter ${unknown}`);
    const bytes = decideCapacity({ requiredBytes: asSize(request.sizeBytes) });
    // A volume that is there already may have outlived its source.
    const isThere = deps.store.volume(volumeId(deps, name))?.state === 'ready';
    if (!isThere && source?.kind === 'snapshot') snapshotNamed(deps, source.volume, source.snapshot);
    const from = source === undefined ? {} : { source: contentSource(deps, source) };
    const range = { requiredBytes: bytes, limitBytes: bytes };
    return volumeOf(deps, await createVolume(deps, { name, range, ...from }, o.signal), o);
  });
}

export async function deleteLocal(deps: LocalEngineDeps, volume: string, o: Call): Promise<void> {
  const ids = () => [volumeId(deps, volume)];
  return changing(deps, o, { what: 'volume', ids }, async () => {
    const id = volumeId(deps, volume);
    const usage = await usageOf(deps.host, deps.paths.backingFile({ id }), o.signal);
    if (usage.loops.length > 0) {
      throw blockVolumeError(
        'VOLUME_BUSY',
        `volume ${volume} is ${isMounted(usage) ? 'mounted' : 'attached'} on ${deps.nodeId}`,
        {
          nextStep: 'Detach it first.',
        },
      );
    }
    await deleteVolume(deps, id, o.signal);
  });
}

export async function getLocal(deps: LocalEngineDeps, volume: string, o: Call): Promise<BlockVolume | undefined> {
  return changing(deps, o, { what: 'volume', ids: () => [] }, async () => {
    const record = deps.store.volume(volumeId(deps, volume));
    return record?.state === 'ready' ? volumeOf(deps, record, o) : undefined;
  });
}

export async function growLocal(
  deps: LocalEngineDeps,
  volume: string,
  sizeBytes: bigint,
  o: Call,
): Promise<BlockVolume> {
  return changing(deps, o, { what: 'volume', ids: () => [volumeId(deps, volume)] }, async () => {
    const found = volumeNamed(deps, volume);
    const bytes = decideCapacity({ requiredBytes: asSize(sizeBytes) });
    const grown = await expandVolume(deps, found.id, { requiredBytes: bytes, limitBytes: bytes });
    for (const { path } of (await usageOf(deps.host, deps.paths.backingFile(found), o.signal)).loops) {
      await runQuick(deps.host, o.signal, 'losetup', ['--set-capacity', path]);
    }
    return volumeOf(deps, grown, o);
  });
}

async function volumeOf(deps: LocalEngineDeps, record: VolumeRecord, o: Call): Promise<BlockVolume> {
  const loops = await loopsOf(deps.host, deps.paths.backingFile(record), o.signal);
  const attachedTo = loops.length === 0 ? [] : [deps.nodeId];
  return { name: record.name, sizeBytes: BigInt(record.capacityBytes), attachedTo };
}

function asSize(bytes: bigint): number {
  if (bytes > 0n && bytes <= BigInt(volumeLimits.bytesMax)) return Number(bytes);
  throw blockVolumeError('OUT_OF_RANGE', `a volume cannot have ${bytes} bytes`, {
    nextStep: `Ask for 1 to ${volumeLimits.bytesMax} bytes.`,
  });
}

function contentSource(deps: LocalEngineDeps, source: BlockSource): ContentSource {
  if (source.kind === 'volume') return { kind: 'volume', id: volumeId(deps, source.volume) };
  if (source.kind === 'snapshot') return { kind: 'snapshot', id: snapshotId(deps, source.snapshot) };
  throw blockVolumeError('NOT_SUPPORTED', 'the engine local has no backups of blocks', {
    nextStep: 'Restore it through a Backup of the API velero.io.',
  });
}

const refused = (message: string) =>
  blockVolumeError('INVALID_ARGUMENT', message, { nextStep: 'Remove it from the request.' });
