import { jobNameVariable } from '@lateen/maintenance';
import { type PodConfig, readPodConfig } from '@lateen/process';

/** What the environment says; flags are apart (flags.ts). */
export interface MaintenanceConfig extends PodConfig {
  /** Name of the Job that this runs in; undefined when its creator did not set it. */
  jobName: string | undefined;
}

/** @throws CONFIG_INVALID naming the variable */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): MaintenanceConfig => ({
  ...readPodConfig(environment, "the controller's Deployment"),
  jobName: environment[jobNameVariable] || undefined,
});
