import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi, PodLogs } from '@lateen/kube';

/** What is needed to have something done with a repository inside the cluster. */
export interface TaskPorts {
  kube: KubeApi;
  logs: PodLogs;
  clock: Clock;
  random: Random;
}
