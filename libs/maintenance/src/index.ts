export {
  type MaintenanceJobInput,
  type MaintenanceJobSettings,
  maintenanceJob,
  maintenanceJobLabels,
  maintenanceJobNames,
} from './job/maintenance-job.ts';
export { type RepositoryOperation, type RepositoryTask, repositoryOperations } from './job/repository-job.ts';
export {
  failurePrefix,
  type OperationEnd,
  type OperationReport,
  type OperationResults,
  parseReportLine,
  parseTermination,
  reportLine,
  terminationText,
} from './report/operation-report.ts';
export type { MaintenanceObserver } from './run/maintenance-observer.ts';
export { MaintenancePlaces, maintenanceJobsMax } from './run/maintenance-places.ts';
export type { MaintenanceReconcilerPorts } from './run/maintenance-ports.ts';
export { maintenanceReconciler } from './run/maintenance-reconciler.ts';
export type { MaintenanceSettings } from './settings/maintenance-settings.ts';
export { settingsReader } from './settings/settings-reader.ts';
