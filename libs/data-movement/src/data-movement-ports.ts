import type { Exposer, RestoreExposer, SnapshotExposeParam } from '@lateen/exposer';
import type { KubeApi } from '@lateen/kube';
import type { ControllerBase, EventSubject } from '@lateen/kube-runtime';
import type { LogRepeater } from '@lateen/watcher';
import type { PodVolumePorts } from './kinds/pod-volume-kind.ts';
import type { MovementLimits } from './movement-limits.ts';
import type { MovementObserver } from './status/movement-observer.ts';

export interface DataMovementPorts extends ControllerBase {
  kube: KubeApi;
  /** Namespace of the installation, which contains the custom resources and the hosting pods. */
  namespace: string;
  /** Name of the node on which this node-agent runs. */
  node: string;
  limits: MovementLimits;
  snapshotExposer: Exposer<SnapshotExposeParam>;
  restoreExposer: RestoreExposer;
  /** Ports for moving volumes of running pods; absent where the installation has no permissions for that. */
  podVolumes?: PodVolumePorts | undefined;
  logs: LogRepeater;
  /** Tells users about a movement, as an Event on it; the reason is one of movementReasons. */
  tell?(subject: EventSubject, reason: string, message: string): void;
  /** Called once, when all informers have synced. */
  onSynced?(): void;
  /** Receives every change of this node's movements; for metrics. */
  observer?: MovementObserver;
}
