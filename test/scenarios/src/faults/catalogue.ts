import { consumerFaults } from './catalogue/consumers.ts';
import { locationFaults } from './catalogue/locations.ts';
import { lossFaults } from './catalogue/losses.ts';
import { mountFaults } from './catalogue/mounts.ts';
import { moverFaults } from './catalogue/movers.ts';
import { podVolumeFaults } from './catalogue/pod-volumes.ts';
import { podFaults } from './catalogue/pods.ts';
import { refusalFaults } from './catalogue/refusals.ts';
import { schedulingFaults } from './catalogue/scheduling.ts';
import { snapshotFaults } from './catalogue/snapshots.ts';
import { provisioningFaults } from './catalogue/volumes.ts';
import type { Fault } from './fault.ts';

/** In the order in which a movement meets them. */
export const catalogue: Readonly<Record<string, readonly Fault[]>> = {
  'the request and its location': locationFaults,
  'the snapshot': snapshotFaults,
  'the consumer that a restore waits for': consumerFaults,
  'the pod whose volume it is': podVolumeFaults,
  'what the API server refuses': refusalFaults,
  'the volume': provisioningFaults,
  'the scheduler': schedulingFaults,
  'the volume on its way to the pod': mountFaults,
  'the container': podFaults,
  'what the mover says': moverFaults,
  'the loss of the mover': lossFaults,
};
