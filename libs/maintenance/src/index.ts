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
  newPasswordVariable,
  type RepositoryOperation,
  type RepositoryTask,
  repositoryOperations,
  taskArguments,
} from './job/repository-job.ts';
export {
  type OperationEnd,
  type OperationReport,
  type OperationResults,
  parseReportLine,
  parseTermination,
  reportLine,
  terminationBytesMax,
  terminationText,
} from './report/operation-report.ts';
