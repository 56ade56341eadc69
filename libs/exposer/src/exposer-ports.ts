import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import type { ExposureSettings } from './settings/exposure-settings.ts';

/** What both exposers work with. */
export interface ExposerPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
  /** What the installation has chosen; absent means the defaults. */
  settings?: ExposureSettings;
}

export interface ExposeOptions {
  /** Also the time limit: it aborts when preparing has taken too long. */
  signal: AbortSignal;
}
