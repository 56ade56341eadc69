import { newPasswordVariable } from '@lateen/maintenance';
import { type PodConfig, readPodConfig } from '@lateen/process';

/** What the environment says; flags are apart (flags.ts). */
export interface MaintenanceConfig extends PodConfig {
  /** Of `change-password`. Trimmed, as the Secret is when it is read. */
  newPassword: string | undefined;
  /** Without the new password: nobody who starts a process by it may hand that on. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** @throws CONFIG_INVALID naming the variable */
export function readConfig(given: Readonly<Record<string, string | undefined>>): MaintenanceConfig {
  const { [newPasswordVariable]: newPassword, ...environment } = given;
  return { ...readPodConfig(environment, "the controller's Deployment"), newPassword: newPassword?.trim() };
}
