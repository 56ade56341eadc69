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
  /** What was broken; empty when all is well. */
  violations: readonly string[];
  trace: readonly string[];
  hash: string;
  /** For figures: how the movements ended and how long it took on the simulation's clock. */
  ends: readonly string[];
  lastedMs: number;
  calls: Readonly<Record<string, number>>;
}
