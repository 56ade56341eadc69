import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi, PodLogs } from '@lateen/kube';

/** The ports for running a repository task inside the cluster. */
export interface TaskPorts {
  kube: KubeApi;
  logs: PodLogs;
  clock: Clock;
  random: Random;
}
