import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** What the operations on volumes need of the world. */
export interface VolumePorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}
