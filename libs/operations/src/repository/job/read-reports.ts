import { AppError, plainLine } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { type ObjectKey, splitLines } from '@lateen/kube';
import { followPodLog } from '@lateen/kube-runtime';
import { maintenanceJobNames, type OperationEnd, type OperationReport, parseReportLine } from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

/** The longest line; a report on 10,000 volumes has 2 MiB. */
const lineBytesMax = 64 * 1024 * 1024;
/** How much of the last output of a process is kept when it did not report its end. */
const lastLineCharsMax = 500;

export type OperationProgress = Extract<OperationReport, { report: 'progress' }>['progress'];

/** The contents of a Job's log. */
export interface ReadReports {
  end: OperationEnd | undefined;
  /** The last line that is not a report, as a single line of limited length; empty when there is none. */
  lastLine: string;
}

/**
 * Follows the log of a Job's pod to its end. @param ended aborts when the container has ended
 * @throws what `followPodLog` throws; JOB_LOG_LINE
 */
export async function readReports(
  { logs, clock, random }: Pick<TaskPorts, 'logs' | 'clock' | 'random'>,
  pod: ObjectKey,
  onProgress: (progress: OperationProgress) => void,
  { ended, signal }: { ended: AbortSignal; signal: AbortSignal },
): Promise<ReadReports> {
  const container = maintenanceJobNames.container;
  const bytes = followPodLog({ logs, pod, container, ended, signal, clock, random, log: silentLogger });
  const read: ReadReports = { end: undefined, lastLine: '' };
  for await (const { text } of splitLines(bytes, { bytesMax: lineBytesMax, tooLong: lineTooLong })) {
    const report = parseReportLine(text);
    if (report === undefined) read.lastLine = plainLine(text).slice(0, lastLineCharsMax) || read.lastLine;
    else if (report.report === 'progress') onProgress(report.progress);
    else read.end = report;
  }
  return read;
}

const lineTooLong = () =>
  new AppError('JOB_LOG_LINE', `a line of the Job's log is longer than ${lineBytesMax / 1024 ** 2} MiB`);
