import { type PodConfig, readPodConfig } from '@lateen/process';

/** What the environment says; flags are apart (flags.ts). */
export type MaintenanceConfig = PodConfig;

/** @throws CONFIG_INVALID naming the variable */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): MaintenanceConfig =>
  readPodConfig(environment, "the controller's Deployment");
