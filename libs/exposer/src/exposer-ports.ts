import type { MovementReason } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ExposeOwner } from './owner.ts';
import type { ExposureSettings } from './settings/exposure-settings.ts';

/** What both exposers work with. */
export interface ExposerPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** What the installation has chosen; absent means the defaults. */
  settings?: ExposureSettings;
  /** An Event of the movement, for what its owner should know and nothing fails of. */
  tell?(owner: ExposeOwner, reason: MovementReason, message: string): void;
}

export interface ExposeOptions {
  /** Also the time limit: it aborts when preparing has taken too long. */
  signal: AbortSignal;
}
