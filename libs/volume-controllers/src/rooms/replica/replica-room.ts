import type { DeleteReplicaData, InstanceHost } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import { keyOf } from '@lateen/kube';
import { watches } from '@lateen/kube-runtime';
import { longhornFinalizer, type Replica, replicaType } from '@lateen/storage-types';
import { decideReplica, promisedReplica, type ReplicaEffect, type ReplicaSeen } from '@lateen/volume-decisions';
import type { Gap, Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { volumeUidOf } from '../../frame/volume-of.ts';
import { watchedHosts } from '../../frame/wakes.ts';
import { within } from '../../hosts/host-calls.ts';
import { ofPlacedInstance } from '../../owner/of-placed-instance.ts';

/** Replicas processed in parallel: each start or stop is a call of a host that may wait for a disk. */
const workers = 16;

/** What the host of a replica is asked to do, and what the Replica's status reports about the process that serves it. */
export function replicaRoom(context: RoomContext): Room<Replica, ReplicaSeen, ReplicaEffect> {
  const { caches } = context;
  return {
    name: 'replica',
    type: replicaType,
    informer: caches.replicas,
    ownership: (replica) => ofPlacedInstance(context, 'Replica', replica),
    // An Engine names the start to promise, and whether it relies on the replica.
    watches: [
      watches(caches.engines, ({ object }) =>
        caches.replicas.byIndex('volume', object.spec.volumeName ?? '').map(keyOf),
      ),
      watchedHosts(context, caches.replicas, ['replica']),
    ],
    workers,
    gather: (replica) => gather(context, replica),
    decide: decideReplica,
    apply: async (effect, pass) => {
      await apply({ context, node: pass.object.spec.nodeID ?? '' }, effect, pass);
      return undefined;
    },
  };
}

function gather({ caches, hosts }: RoomContext, replica: Replica): ReplicaSeen | Gap {
  const { volumeName = '', nodeID = '' } = replica.spec;
  const engine = caches.engines.byIndex('volume', volumeName)[0];
  const volumeUid = volumeUidOf(caches, replica);
  if (volumeUid === undefined) return { missing: `volume ${volumeName}, whose identity stands in the folder` };
  return { replica, volumeUid, host: hosts.facts(nodeID), ...(engine === undefined ? {} : { engine }) };
}

async function apply(
  { context: { hosts, clock, log }, node }: { readonly context: RoomContext; readonly node: string },
  effect: ReplicaEffect,
  { object, writes, signal }: Pass<Replica, ReplicaSeen>,
): Promise<void> {
  const name = object.metadata.name ?? '';
  const host = () => hosts.host(node, { kind: 'replica', name });
  switch (effect.do) {
    case 'ensure-replica':
      await within(clock, 'ensure', signal, (call) => host().ensureReplica(effect.request, call));
      return;
    case 'stop':
      await within(clock, 'stop', signal, (call) => host().stop(effect.request, call));
      return;
    case 'delete-data':
      return await deleteData({ host: host(), clock, log }, effect.request, signal);
    case 'note-promise':
      return await writes.change(replicaType, object, (replica) => promisedReplica(replica, effect));
    case 'release-replica':
      return await writes.release(replicaType, object, longhornFinalizer);
    default:
      return effect satisfies never;
  }
}

/** A folder of another volume is not deleted, and the object is deleted without it: the object may have been restored from a backup of objects. */
async function deleteData(
  { host, clock, log }: Pick<RoomContext, 'clock' | 'log'> & { readonly host: InstanceHost },
  request: DeleteReplicaData,
  signal: AbortSignal,
): Promise<void> {
  try {
    await within(clock, 'delete', signal, (call) => host.deleteReplicaData(request, call));
  } catch (error) {
    if (!isAppError(error, 'REPLICA_FOREIGN')) throw error;
    log.warn(
      { replica: request.replica, directory: request.directory, err: error },
      'the folder of another volume is left alone',
    );
  }
}
