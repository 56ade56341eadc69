import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { newPasswordVariable } from '@lateen/maintenance';

/** What the environment says; flags are apart (flags.ts). */
export interface MaintenanceConfig {
  /** Where the BackupRepository lives. */
  namespace: string;
  /** Private files and the engine's cache go below it; nothing in it outlives a run. */
  scratchDirectory: string;
  terminationLogPath: string;
  engineBinary: string;
  resticBinary: string;
  /** Of `change-password`. Trimmed, as the Secret is when it is read. */
  newPassword: string | undefined;
  /** Without the new password: nobody who starts a process by it may hand that on. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** @throws CONFIG_INVALID naming the variable */
export function readConfig(given: Readonly<Record<string, string | undefined>>): MaintenanceConfig {
  const { [newPasswordVariable]: newPassword, ...environment } = given;
  const namespace = environment.VELERO_NAMESPACE;
  if (!namespace) {
    throw new AppError('CONFIG_INVALID', 'the environment variable VELERO_NAMESPACE is not set', {
      nextStep: "The pod inherits it from the controller's Deployment; set it there.",
    });
  }
  return {
    namespace,
    scratchDirectory: environment.VELERO_SCRATCH_DIR || join(environment.HOME || '/tmp', '.lateen'),
    terminationLogPath: environment.LATEEN_TERMINATION_LOG || '/dev/termination-log',
    engineBinary: environment.LATEEN_KOPIA || 'kopia',
    resticBinary: environment.LATEEN_RESTIC || 'restic',
    newPassword: newPassword?.trim(),
    environment,
  };
}
