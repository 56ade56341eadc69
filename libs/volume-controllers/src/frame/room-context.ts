import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ControllerBase, EventRecorder } from '@lateen/kube-runtime';
import type { Settings } from '@lateen/volume-decisions';
import type { HostDirectory } from '../hosts/host-directory.ts';
import type { ManagerDirectory } from '../owner/manager-directory.ts';
import type { StorageCaches } from './storage-caches.ts';

/** The dependencies of rooms; each room uses a part of them. */
export interface RoomContext extends ControllerBase {
  readonly kube: KubeApi;
  /** The namespace of all objects of the volume manager. */
  readonly namespace: string;
  /** The node of this manager. */
  readonly self: string;
  readonly caches: StorageCaches;
  readonly managers: ManagerDirectory;
  readonly hosts: HostDirectory;
  readonly events: EventRecorder;
  /** Its `now` never jumps (`steadyClock`), so that it measures the time since dates of objects. */
  readonly clock: Clock;
  /** The system time, with all its jumps. */
  readonly wall: Pick<Clock, 'now'>;
  /** Of this program; "" when absent. */
  readonly version?: string | undefined;
  /** The settings as they are stored now. */
  settings(): Settings;
}
