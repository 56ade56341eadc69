import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** The ports of the operations on volumes. */
export interface VolumePorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}
