import {
  type BlockSource,
  type BlockVolume,
  blockVolumeError,
  type Call,
  type CreateBlockVolume,
} from '@lateen/block-engine';
import { deleteIfThere, isAlreadyExists, listAll } from '@lateen/kube';
import {
  int64Of,
  int64Text,
  longhornFinalizer,
  longhornGroup,
  longhornNodeType,
  longhornVersion,
  replicaType,
  type Setting,
  settingType,
  storageLabels,
  type Volume,
  type VolumeSpec,
  volumeType,
} from '@lateen/storage-types';
import { checkNewVolume, readSettings, type Settings, withVolumeDefaults } from '@lateen/volume-decisions';
import type { EngineDeps } from './engine-deps.ts';
import { objectNameOf } from './object-name.ts';
import { readParameters } from './parameters.ts';
import { snapshotNamed } from './snapshot-named.ts';
import { blockVolumeOf, readVolume, sizeOf, volumeNamed } from './volume-named.ts';
import { volumeSizeOf } from './volume-size.ts';
import { sourceSpec } from './volume-source.ts';
import { waiting } from './waiting.ts';

/**
 * Makes the Volume and waits until the manager has made its engine, its replicas and its VolumeAttachment. It does not wait for the
 * replicas' places: with a data locality they get them when the volume is attached.
 */
export async function createReplicated(deps: EngineDeps, request: CreateBlockVolume, o: Call): Promise<BlockVolume> {
  o.signal.throwIfAborted();
  const name = objectNameOf(request.name);
  const parameters = readParameters(request.parameters ?? {});
  const source = request.source ?? parameters.source;
  const sizeBytes = volumeSizeOf(request.sizeBytes);
  const there = await readVolume(deps, name, o);
  if (there !== undefined) requireSame(there, request.name, sizeBytes, source);
  const made = there ?? (await make(deps, name, { ...parameters, sizeBytes, source }, o));
  const volume = await ready(deps, made, o);
  await requirePlaces(deps, volume, { isNew: there === undefined }, o);
  return blockVolumeOf(request.name, volume);
}

function requireSame(there: Volume, name: string, sizeBytes: bigint, source: BlockSource | undefined): void {
  if (there.metadata.deletionTimestamp !== undefined) {
    throw blockVolumeError('VOLUME_BUSY', `the volume ${name} before is still being deleted`, {
      nextStep: 'Repeat the call when it is gone.',
    });
  }
  const { dataSource = '', fromBackup = '' } = sourceSpec(source);
  const sameSource = (there.spec.dataSource ?? '') === dataSource && (there.spec.fromBackup ?? '') === fromBackup;
  // The manager makes a volume as large as what was backed up.
  const sameSize = sizeOf(there) === sizeBytes || (source?.kind === 'backup' && sizeOf(there) > sizeBytes);
  if (sameSize && sameSource) return;
  const has = `${there.spec.size} bytes${sameSource ? '' : ' and another source'}`;
  throw blockVolumeError('VOLUME_EXISTS', `there is a volume ${name} with ${has}`, {
    nextStep: 'Use another name, or the size and source that it has.',
  });
}

interface Wanted {
  spec: VolumeSpec;
  labels: Readonly<Record<string, string>>;
  sizeBytes: bigint;
  source: BlockSource | undefined;
}

async function make(deps: EngineDeps, name: string, wanted: Wanted, o: Call): Promise<Volume> {
  const { sizeBytes, source } = wanted;
  await requireSource(deps, source, sizeBytes, o);
  const settings = await settingsOf(deps, o);
  const given = { ...wanted.spec, ...sourceSpec(source), size: int64Text(sizeBytes) };
  const spec = withVolumeDefaults(given, settings);
  const { items: nodes } = await listAll(deps.kube, longhornNodeType, { namespace: deps.namespace, ...o });
  const nodeTags = new Set(nodes.flatMap((node) => node.spec.tags ?? []));
  const diskTags = new Set(
    nodes.flatMap((node) => Object.values(node.spec.disks ?? {}).flatMap(({ tags = [] }) => tags)),
  );
  const refused = checkNewVolume({ name, spec, nodeTags, diskTags });
  if (refused !== undefined) {
    throw blockVolumeError('INVALID_ARGUMENT', refused, { nextStep: 'Correct the StorageClass or the request.' });
  }
  const metadata = {
    name,
    namespace: deps.namespace,
    labels: {
      ...wanted.labels,
      [storageLabels.volume]: name,
      [storageLabels.backupTarget]: spec.backupTargetName ?? '',
    },
    finalizers: [longhornFinalizer],
  };
  const object: Volume = { apiVersion: `${longhornGroup}/${longhornVersion}`, kind: 'Volume', metadata, spec };
  try {
    return await deps.kube.create(volumeType, object, o);
  } catch (error) {
    // Another call of the same name was first: the next call reads what it has created.
    if (!isAlreadyExists(error)) throw error;
    throw blockVolumeError('VOLUME_BUSY', `volume ${name} is being made by another call`, {
      cause: error,
      nextStep: 'Repeat the call.',
    });
  }
}

async function requireSource(
  deps: EngineDeps,
  source: BlockSource | undefined,
  sizeBytes: bigint,
  o: Call,
): Promise<void> {
  if (source === undefined) return;
  // A smaller one grows: what is on the target is known to the manager.
  if (source.kind === 'backup') return;
  const from = await volumeNamed(deps, source.volume, o);
  const bytes = source.kind === 'snapshot' ? (await snapshotNamed(deps, source, o)).sizeBytes : sizeOf(from);
  if (sizeBytes >= bytes) return;
  throw blockVolumeError('OUT_OF_RANGE', `a clone of ${bytes} bytes cannot have ${sizeBytes}`, {
    nextStep: `Ask for at least ${bytes} bytes.`,
  });
}

export async function settingsOf({ kube, namespace }: EngineDeps, { signal }: Call): Promise<Settings> {
  const { items } = await listAll<Setting>(kube, settingType, { namespace, signal });
  return readSettings(items).settings;
}

const ready = (deps: EngineDeps, { metadata, spec }: Volume, o: Call): Promise<Volume> => {
  const name = metadata.name ?? '';
  const hasSource = (spec.dataSource ?? '') !== '';
  return waiting(deps, o, {
    type: volumeType,
    name,
    what: `volume ${name} is not ready`,
    limitMs: deps.limits.createMs,
    until: (volume, because) => {
      if (volume === undefined)
        throw blockVolumeError('VOLUME_NOT_FOUND', `volume ${name} was deleted while it was made`);
      const { state = '', cloneStatus, restoreRequired } = volume.status ?? {};
      because(state === '' ? 'no manager has handled it' : `it is ${state}`);
      // A restore lasts longer than any call: who attaches it waits for that.
      if (restoreRequired === true && state !== 'creating' && state !== '') return volume;
      if (state !== 'detached' && state !== 'attached') return undefined;
      if (!hasSource || cloneStatus?.state === 'completed') return volume;
      if (cloneStatus?.state === 'failed')
        throw blockVolumeError('VOLUME_FAULTED', `the clone of ${spec.dataSource} failed`);
      because(`the clone of ${spec.dataSource} is ${cloneStatus?.state || 'not begun'}`);
      return undefined;
    },
    nextStep: `Check the manager of the volume: kubectl get volumes.longhorn.io ${name} -n ${deps.namespace} -o yaml`,
  });
};

/**
 * A volume of which no replica can be scheduled (or not all of them, if the setting requires it) is unusable, so the call fails now: a
 * scheduler can then try elsewhere. The objects that this call has created are deleted again, because nothing else would delete them.
 */
async function requirePlaces(deps: EngineDeps, volume: Volume, { isNew }: { isNew: boolean }, o: Call): Promise<void> {
  const scheduled = volume.status?.conditions?.find(({ type }) => type === 'Scheduled');
  if (scheduled?.status !== 'False') return;
  const settings = await settingsOf(deps, o);
  if (settings.flag('allow-volume-creation-with-degraded-availability')) {
    const labelSelector = `${storageLabels.volume}=${volume.metadata.name}`;
    const { items } = await listAll(deps.kube, replicaType, { namespace: deps.namespace, labelSelector, ...o });
    if (items.some(({ spec }) => (spec.nodeID ?? '') !== '')) return;
  }
  if (isNew) await deleteIfThere(deps.kube, volumeType, volume, o.signal);
  const message = `no place for ${int64Of(volume.spec.size)} bytes on ${volume.spec.numberOfReplicas} disks`;
  throw blockVolumeError('NO_ROOM', `${message}: ${scheduled.message || scheduled.reason}`, {
    nextStep: 'Free or add room, correct node and disk tags, or ask for fewer replicas.',
  });
}
