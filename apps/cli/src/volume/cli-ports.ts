import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** What the volume commands need of the world. */
export interface CliPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}
