import type { MovementReason } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ExposeOwner } from './owner.ts';
import type { ExposureSettings } from './settings/exposure-settings.ts';

/** The ports of both exposers. */
export interface ExposerPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** The settings of the installation; absent means the defaults. */
  settings?: ExposureSettings;
  /** Records an Event on the movement, for remarks that do not fail it. */
  tell?(owner: ExposeOwner, reason: MovementReason, message: string): void;
}

export interface ExposeOptions {
  /** Also the time limit: it aborts when the preparation has taken too long. */
  signal: AbortSignal;
}
