export {
  type MaintenanceMode,
  maintenanceModes,
  type OperationOptions,
  type OperationProgress,
  type PasswordChange,
  type RepositoryCheck,
  type RepositoryMaintenance,
  type RepositoryUnlock,
  type RepositoryUsage,
  type VolumeUsage,
} from './repository-operation.ts';
