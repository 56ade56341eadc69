import type { Node } from '@lateen/api-types';
import type { HostInfo } from '@lateen/block-engine';
import type { LonghornNode, Replica } from '@lateen/storage-types';
import type { Availability } from '../owner/decide-owner.ts';
import type { Settings } from '../settings/read-settings.ts';

export interface NodeSeen {
  readonly node: LonghornNode;
  /** Undefined when all nodes have been read and it is not among them. */
  readonly kubernetesNode?: Node | undefined;
  /** `managerAvailability` of the node. */
  readonly managerIsUp: Availability;
  /** What its instance manager reports about itself and the disks; undefined while it does not answer. */
  readonly host?: HostInfo | undefined;
  /** Name of its InstanceManager; "" for none. */
  readonly instanceManager: string;
  /** All objects of this kind in the cluster. */
  readonly replicas: readonly Replica[];
  readonly settings: Settings;
  /** When all snapshots of the node were last checked, if this is known more exactly than in the status. */
  readonly snapshotsCheckedAt?: string | undefined;
  /** A fresh identity for a disk, by its name. */
  freshUuid(disk: string): string;
}
