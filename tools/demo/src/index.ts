export { emptyPrefix } from './bucket.ts';
export { dropRepositories } from './cluster/drop-repositories.ts';
export { findLeftovers } from './cluster/expect-nothing-left.ts';
export { type Inventory, takeInventory } from './cluster/find-leftovers.ts';
export { recordMovement } from './cluster/record-movement.ts';
export {
  createWorkload,
  deleteNamespace,
  podName,
  pvcName,
  type WorkloadOptions,
  waitForPod,
} from './cluster/workload.ts';
export { fillVolume, volumePath } from './content/fill-volume.ts';
export type { SourceFolder } from './content/source-folder.ts';
export { type JourneyOptions, type JourneyPorts, type JourneyResult, runJourney } from './journey.ts';
export { type LateenCli, lateenCli } from './lateen-cli.ts';
export { type PodShell, podShell } from './pod-shell.ts';
export type { MovementRecord } from './report/movement-record.ts';
export { type Kubectl, kubectlIn } from './shop/kubectl.ts';
export { type AspectResult, compareTrees, isFaithful } from './tree/compare-trees.ts';
export { createDisks, type DisksOptions, deleteDisks } from './warehouse/disks.ts';
export {
  createWarehouse,
  type WarehouseOptions,
  waitForWarehouse,
  warehousePod,
  whatIsThere,
  whatWasFound,
} from './warehouse/warehouse.ts';
