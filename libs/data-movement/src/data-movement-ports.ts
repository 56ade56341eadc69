import type { Exposer, RestoreExposer, SnapshotExposeParam } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import type { ControllerBase, EventSubject } from '@lateen/kube-runtime';
import type { LogRepeater } from '@lateen/watcher';
import type { PodVolumePorts } from './kinds/pod-volume-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import type { MovementObserver } from './status/movement-observer.ts';

export interface DataMovementPorts extends ControllerBase {
  kube: KubeApi;
  /** Namespace of the installation; the custom resources and the hosting pods are there. */
  namespace: string;
  /** The node that this process is the agent of. */
  node: string;
  limits: MovementLimits;
  snapshotExposer: Exposer<SnapshotExposeParam>;
  restoreExposer: RestoreExposer;
  /** Volumes of running pods are moved; absent where the installation has no rights for it. */
  podVolumes?: PodVolumePorts | undefined;
  logs: LogRepeater;
  /** Tells users about a movement, as an Event on it; the reason is one of movementReasons. */
  tell?(subject: EventSubject, reason: string, message: string): void;
  /** Called once when all objects have been read. */
  onSynced?(): void;
  /** Told about every change of this node's movements; for metrics. */
  observer?: MovementObserver;
}
