import type {
  OperationProgress,
  PasswordChange,
  RepositoryCheck,
  RepositoryMaintenance,
  RepositoryUnlock,
  RepositoryUsage,
  SnapshotsForgotten,
  SnapshotVerification,
} from '@lateen/repository/operations';
import { type RepositoryOperation, repositoryOperations } from '../job/repository-job.ts';

/** What each sub-command finds or does. */
export interface OperationResults {
  /** `mode` is absent when nothing was due. `orphans`: attribute manifests without a snapshot that were deleted. */
  maintain: Partial<RepositoryMaintenance> & Pick<RepositoryMaintenance, 'engine'> & { orphans?: number };
  check: RepositoryCheck;
  usage: RepositoryUsage;
  unlock: RepositoryUnlock;
  'change-password': PasswordChange;
  forget: SnapshotsForgotten;
  verify: SnapshotVerification;
}

/** How an operation ended. */
export type OperationEnd<O extends RepositoryOperation = RepositoryOperation> = {
  [Each in O]: {
    operation: Each;
    /** Name of the BackupRepository. */
    repository: string;
    durationMs: number;
  } & (
    | { succeeded: true; result: OperationResults[Each] }
    /** `message` is a whole sentence for people, the next step included; `code` is that of the AppError. */
    | { succeeded: false; error: { code: string; message: string } }
  );
}[O];

/** A line of the log of `repo-maintenance --output json`; other lines are its ordinary log. */
export type OperationReport = { report: 'progress'; progress: OperationProgress } | ({ report: 'end' } & OperationEnd);

/** Before the reason of a failure, where programs that know Velero look for it: in the log (data-movement.md section 10). */
export const failurePrefix = 'Repo maintenance error: ';

/** What the kubelet keeps of a termination message. */
export const terminationBytesMax = 4096;

export const reportLine = (report: OperationReport): string => `${JSON.stringify(report)}\n`;

/** The report of one line of the log; undefined for a line that is none. */
export function parseReportLine(line: string): OperationReport | undefined {
  if (!line.startsWith('{"report":')) return undefined;
  const parsed = parse(line);
  if (parsed?.report === 'progress') return parsed as unknown as OperationReport;
  return parsed?.report === 'end' && isEnd(parsed) ? (parsed as unknown as OperationReport) : undefined;
}

/**
 * The end as termination message. One that is too long for it loses its lists (volumes, problems): all of it is the last
 * report in the log.
 */
export function terminationText(end: OperationEnd): string {
  const text = JSON.stringify(end);
  if (Buffer.byteLength(text) <= terminationBytesMax) return text;
  if (!end.succeeded) {
    const { code, message } = end.error;
    return JSON.stringify({ ...end, error: { code, message: message.slice(0, failureLengthMax) } });
  }
  return JSON.stringify({ ...end, result: { ...end.result, ...emptied(end) } });
}

/** A character takes three bytes at most, or six when JSON escapes it; what is around it stays below 400. */
const failureLengthMax = 600;

function emptied(end: OperationEnd): object {
  if (end.operation === 'usage') return { volumes: [] };
  return end.operation === 'check' || end.operation === 'verify' ? { problems: [] } : {};
}

/** Reads {@link terminationText}; undefined for anything else, such as the last lines of a process that was killed. */
export function parseTermination(text: string | undefined): OperationEnd | undefined {
  const parsed = text === undefined ? undefined : parse(text);
  return parsed !== undefined && isEnd(parsed) ? (parsed as unknown as OperationEnd) : undefined;
}

function isEnd(parsed: Record<string, unknown>): boolean {
  return (
    repositoryOperations.some((each) => each === parsed.operation) &&
    typeof parsed.succeeded === 'boolean' &&
    typeof (parsed.succeeded ? parsed.result : parsed.error) === 'object'
  );
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
