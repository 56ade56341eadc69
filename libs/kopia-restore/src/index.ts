export type { RestoreLimit, RestoreReport } from './restore-report.ts';
