export { changePassword } from './change-password.ts';
export { checkRepository } from './check-repository.ts';
export { type ForgetOptions, forgetSnapshots } from './forget-snapshots.ts';
export { dueMode, fullInterval, type KopiaSchedule, readSchedule } from './kopia-schedule.ts';
export { maintainRepository } from './maintain-repository.ts';
export {
  type CheckOptions,
  type MaintainOptions,
  type MaintenanceMode,
  maintenanceModes,
  type OperationOptions,
  type OperationProgress,
  type PasswordChange,
  type ReadStoredData,
  type RepositoryCheck,
  type RepositoryMaintenance,
  type RepositoryUnlock,
  type RepositoryUsage,
  type SnapshotsForgotten,
  type SnapshotVerification,
  type VerifyStoredSnapshot,
  type VolumeUsage,
} from './repository-operation.ts';
export { kopiaRepository, type RepositorySession, resticRepository } from './repository-session.ts';
export { repositoryUsage } from './repository-usage.ts';
export { unlockRepository } from './unlock-repository.ts';
export { type VerifyOptions, verifySnapshot } from './verify-snapshot.ts';
