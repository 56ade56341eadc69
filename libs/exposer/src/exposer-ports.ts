import type { ResourceRequirements } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';

/** What both exposers work with. */
export interface ExposerPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Resources of hosting pods; absent means best effort. */
  podResources?: ResourceRequirements | undefined;
}

export interface ExposeOptions {
  /** Also the time limit: it aborts when preparing has taken too long. */
  signal: AbortSignal;
}
