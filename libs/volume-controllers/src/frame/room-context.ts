import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ControllerBase, EventRecorder } from '@lateen/kube-runtime';
import type { Settings } from '@lateen/volume-decisions';
import type { HostDirectory } from '../hosts/host-directory.ts';
import type { ManagerDirectory } from '../owner/manager-directory.ts';
import type { StorageCaches } from './storage-caches.ts';

/** What rooms are built with; each takes the few it uses. */
export interface RoomContext extends ControllerBase {
  readonly kube: KubeApi;
  /** Of all objects of the volume manager. */
  readonly namespace: string;
  /** The node of this manager. */
  readonly self: string;
  readonly caches: StorageCaches;
  readonly managers: ManagerDirectory;
  readonly hosts: HostDirectory;
  readonly events: EventRecorder;
  /** Its `now` never leaps (`steadyClock`), so that it measures what has passed since dates of objects. */
  readonly clock: Clock;
  /** What people call the time, with all its leaps. */
  readonly wall: Pick<Clock, 'now'>;
  /** Of this program; "" when absent. */
  readonly version?: string | undefined;
  /** As they are stored now. */
  settings(): Settings;
}
