export { endCondition, jobEnd } from './decide/job-state.ts';
export { runOutcome } from './decide/run-outcome.ts';
export { type AskToForget, askToForget } from './forget/ask-to-forget.ts';
export {
  type ForgetRequest,
  forgetRequest,
  forgetRequestLabels,
  readForgetRequests,
  repositoryOfRequest,
  requestsOfJob,
  withoutSnapshots,
} from './forget/forget-request.ts';
export { startForgetJob } from './forget/start-forget-job.ts';
export {
  type RepositorySnapshots,
  type StoredSnapshot,
  snapshotOfPodVolume,
  snapshotOfUpload,
  snapshotsByRepository,
} from './forget/stored-snapshots.ts';
export { endedKeptMs, followedMs, type JobLifetime, jobLifetimes } from './job/job-lifetime.ts';
export {
  jobNameVariable,
  type MaintenanceJobInput,
  type MaintenanceJobSettings,
  maintenanceJob,
  maintenanceJobLabels,
  maintenanceJobName,
  maintenanceJobNames,
} from './job/maintenance-job.ts';
export { type RepositoryOperation, type RepositoryTask, repositoryOperations } from './job/repository-job.ts';
export { repositoryBusy, type StartOptions, startRepositoryJob } from './job/start-repository-job.ts';
export { excludeEachOther, needsLock, operationOf } from './job/task-exclusion.ts';
export { type LockAnswer, releaseRepositoryLock, takeRepositoryLock } from './lock/repository-lock.ts';
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
export { type MaintenancePlaces, maintenanceJobsMax, maintenancePlaces } from './run/maintenance-places.ts';
export type { MaintenanceReconcilerPorts } from './run/maintenance-ports.ts';
export { maintenanceReconciler } from './run/maintenance-reconciler.ts';
export { podOfJob } from './run/pod-of-job.ts';
export type { MaintenanceSettings } from './settings/maintenance-settings.ts';
export { settingsReader } from './settings/settings-reader.ts';
