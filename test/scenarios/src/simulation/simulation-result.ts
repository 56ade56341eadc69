import type { MovementLimits } from '@lateen/data-movement';
import type { FenceLimits } from '@lateen/datapath';
import type { KubeApi } from '@lateen/kube';

/** For tests of the simulation itself: defects to plant in the product. */
export interface PlantedBug {
  wrap?(kube: KubeApi): KubeApi;
  limits?: Partial<MovementLimits>;
  fenceLimits?: Partial<FenceLimits>;
}

export interface SimulationResult {
  seed: number;
  /** Violations; empty when there are none. */
  violations: readonly string[];
  trace: readonly string[];
  hash: string;
  /** Statistics: how the movements ended and how long it took on the simulation's clock. */
  ends: readonly string[];
  lastedMs: number;
  calls: Readonly<Record<string, number>>;
}
