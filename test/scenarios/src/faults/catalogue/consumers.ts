import { aPersistentVolumeClaim } from '@lateen/testing';
import type { Fault } from '../fault.ts';
import { told } from '../injections.ts';

/** The consumer that a restore waits for. */
export const consumerFaults: readonly Fault[] = [
  {
    name: 'nothing uses the target claim',
    direction: 'download',
    world: { bindingMode: 'WaitForFirstConsumer' },
    inject: (world) =>
      told(
        world,
        'target',
        'WaitForFirstConsumer',
        'waiting for first consumer to be created before binding',
        'persistentvolume-controller',
      ),
    ends: 'stuck',
    message:
      'Target PVC app/data waits until a pod that uses it is given a node, and there is none. Start the workload that uses it.',
  },
  {
    name: 'the pod that uses the target claim is not scheduled',
    direction: 'download',
    world: { bindingMode: 'WaitForFirstConsumer' },
    inject: async (world) => {
      told(world, 'target', 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
      await world.clock.advance(5_000);
      told(
        world,
        'target',
        'WaitForPodScheduled',
        'waiting for pod web-0 to be scheduled',
        'persistentvolume-controller',
      );
    },
    ends: 'stuck',
    message:
      'Target PVC app/data waits until a pod that uses it is given a node: waiting for pod web-0 to be scheduled. See with kubectl describe why that pod is not scheduled.',
  },
  {
    name: 'the target claim does not exist',
    direction: 'download',
    world: { without: ['PersistentVolumeClaim/data'] },
    ends: 'failed',
    message:
      'error exposing target volume: Target PVC app/data does not exist. Create it, without a volume, or correct spec.targetVolume.',
  },
  {
    name: 'the target claim has a volume already',
    direction: 'download',
    world: { without: ['PersistentVolumeClaim/data'], extra: [aPersistentVolumeClaim({ volumeName: 'pv-old' })] },
    ends: 'failed',
    message:
      'error exposing target volume: Target PVC app/data has already been bound, abort. Data is restored into a new volume only: give the claim a selector with label velero.io/dynamic-pv-restore so that nothing else binds it.',
  },
  {
    name: 'the class of the target claim does not exist',
    direction: 'download',
    world: { without: ['StorageClass/lateen'] },
    ends: 'failed',
    message:
      'error exposing target volume: storage class "lateen" of target PVC app/data does not exist. Create the class, or restore the claim with another one.',
  },
];
