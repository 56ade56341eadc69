import type { DiskFacts as FoundDisk } from '@lateen/block-engine';
import type { DiskSpec, DiskStatus, Replica } from '@lateen/storage-types';
import type { SchedulerSettings } from '../scheduler/place-request.ts';

/** The facts of one disk of a node. */
export interface DiskSeen {
  readonly node: string;
  /** Its key in the `spec.disks` of the node. */
  readonly name: string;
  readonly spec: DiskSpec;
  readonly before?: DiskStatus | undefined;
  /** What the instance manager found at its path; undefined while it could not check. */
  readonly found?: FoundDisk | undefined;
  /** Why no replica may be placed although the disk may be healthy: the node is not ready. */
  readonly nodeProblem?: string | undefined;
  /** Another disk that has its file system or its identity, and had it first ({@link diskConflicts}). */
  readonly conflict?: string | undefined;
  /** All replicas of the cluster. */
  readonly replicas: readonly Replica[];
  readonly instanceManager: string;
  readonly settings: Pick<SchedulerSettings, 'overProvisioningPercentage' | 'minimalAvailablePercentage'>;
  /** Identity for the disk if it has none. */
  readonly freshUuid: string;
}
