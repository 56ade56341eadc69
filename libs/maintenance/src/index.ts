export {
  decideMaintenance,
  type MaintenanceStep,
  type MaintenanceView,
  podStartMs,
} from './decide/decide-maintenance.ts';
export { isMaintenance, isRecorded, jobEnd, recentMaintenanceMax } from './decide/job-state.ts';
export { failureRetry, maintenanceDueMs } from './decide/maintenance-due.ts';
export { type InheritedTemplate, inheritedTemplate } from './job/inherited-template.ts';
export {
  type MaintenanceJobInput,
  type MaintenanceJobSettings,
  maintenanceJob,
  maintenanceJobLabels,
  maintenanceJobName,
  maintenanceJobNames,
} from './job/maintenance-job.ts';
export {
  type RepositoryOperation,
  type RepositoryTask,
  repositoryOperations,
  taskArguments,
} from './job/repository-job.ts';
export {
  failurePrefix,
  type OperationEnd,
  type OperationReport,
  type OperationResults,
  parseReportLine,
  parseTermination,
  reportLine,
  terminationBytesMax,
  terminationText,
} from './report/operation-report.ts';
export { maintenanceDeadlineMs } from './run/create-maintenance-job.ts';
export type { MaintenanceObserver } from './run/maintenance-observer.ts';
export { MaintenancePlaces, maintenanceJobsMax } from './run/maintenance-places.ts';
export type { MaintenanceReconcilerPorts } from './run/maintenance-ports.ts';
export { maintenanceReconciler } from './run/maintenance-reconciler.ts';
export {
  keepLatestDefault,
  keepLatestMax,
  type MaintenanceSettings,
  maintenanceSettings,
  settingsKey,
} from './settings/maintenance-settings.ts';
export { settingsReader } from './settings/settings-reader.ts';
