import type { KubeObject, ResourceType } from '@lateen/kube';
import {
  engineType,
  int64Text,
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  replicaType,
  snapshotType,
  type Volume,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import {
  changedEngine,
  changedReplica,
  type EngineChange,
  type OwnedByVolume,
  type ReplicaChange,
  type VolumeSeen,
} from '@lateen/volume-decisions';
import type { Pass } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { adopted } from './adopt-volume.ts';
import { createRecurringJob, withRecurringJobs } from './brought-recurring-jobs.ts';
import type { VolumeRoomEffect } from './volume-room.ts';

/** Carries out an effect on a volume: a write to the API server, guarded by the resourceVersion that was read. */
export async function applyVolumeEffect(
  effect: VolumeRoomEffect,
  pass: Pass<Volume, VolumeSeen>,
  context: Pick<RoomContext, 'events' | 'log'>,
): Promise<void> {
  const { object, writes } = pass;
  switch (effect.do) {
    case 'adopt':
      return await writes.change(volumeType, object, (volume) => adopted(volume, effect.madeAs));
    case 'create-attachment':
      return await writes.create(volumeAttachmentObjectType, effect.object);
    case 'create-engine':
      return await writes.create(engineType, effect.object);
    case 'create-replica':
      return await writes.create(replicaType, effect.object);
    case 'delete':
      return await deleteOwned(effect, pass);
    case 'grow-volume':
      return await writes.change(volumeType, object, (volume) => ({
        ...volume,
        spec: { ...volume.spec, size: int64Text(effect.sizeBytes) },
      }));
    case 'create-recurring-job':
      return await createRecurringJob(context, effect.object, pass);
    case 'note-recurring-jobs':
      return await writes.change(volumeType, object, (volume) => withRecurringJobs(volume, effect));
    case 'release-volume':
      return await writes.release(volumeType, object, longhornFinalizer);
    case 'begin-start':
    case 'let-start':
    case 'set-addresses':
    case 'stop-engine':
    case 'read-from':
    case 'grow-engine':
    case 'request-restore':
    case 'end-restore':
      return await changeEngine(effect, pass);
    default:
      return await changeReplica(effect, pass);
  }
}

async function changeEngine(change: EngineChange, { seen, writes }: Pass<Volume, VolumeSeen>): Promise<void> {
  if (seen.engine !== undefined)
    await writes.change(engineType, seen.engine, (engine) => changedEngine(engine, change));
}

async function changeReplica(change: ReplicaChange, { seen, writes }: Pass<Volume, VolumeSeen>): Promise<void> {
  const replica = seen.replicas.find(({ metadata }) => metadata.name === change.replica);
  if (replica !== undefined) await writes.change(replicaType, replica, (each) => changedReplica(each, change));
}

async function deleteOwned(
  { kind, name }: { readonly kind: OwnedByVolume; readonly name: string },
  { object, seen, writes }: Pass<Volume, VolumeSeen>,
): Promise<void> {
  const found = (objects: readonly KubeObject[]) => objects.find(({ metadata }) => metadata.name === name);
  const { namespace } = object.metadata;
  const owned: Record<OwnedByVolume, [ResourceType, KubeObject | undefined]> = {
    Engine: [engineType, seen.engine],
    Replica: [replicaType, found(seen.replicas)],
    Snapshot: [snapshotType, found(seen.snapshots)],
    VolumeAttachment: [
      volumeAttachmentObjectType,
      {
        apiVersion: `${longhornGroup}/${longhornVersion}`,
        kind,
        metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
      },
    ],
  };
  const [type, of] = owned[kind];
  if (of !== undefined) await writes.delete(type, of);
}
