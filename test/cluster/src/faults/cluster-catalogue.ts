import type { ClusterFault } from './cluster-fault.ts';
import { moverFaults } from './movers.ts';
import { schedulingFaults, startFaults } from './pods.ts';
import { refusalFaults } from './refusals.ts';
import { storageFaults } from './storage.ts';

export const clusterCatalogue: readonly ClusterFault[] = [
  ...refusalFaults,
  ...storageFaults,
  ...schedulingFaults,
  ...startFaults,
  ...moverFaults,
];
