import { byteSize } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { count } from './count.ts';
import { progressBar } from './progress-bar.ts';

/** The progress of a running movement at one moment. */
export interface MovementProgress {
  name: string;
  phase: string;
  bytesDone: number;
  /** 0 while the total is not known. */
  totalBytes: number;
  /** The recent rate, where files are counted. */
  filesPerSecond?: number | undefined;
  /** Since the engine started, ms. */
  elapsedMs: number;
}

const barWidth = 24;

/** One line: name, phase, bar, bytes, rate, time left. While the total is not known, fields that depend on it are left out. */
export function progressLine(progress: MovementProgress): string {
  const { name, phase, bytesDone, totalBytes, filesPerSecond, elapsedMs } = progress;
  if (totalBytes <= 0) return `${name}  ${phase}`;
  const parts = [
    `${name}  ${phase}  ${progressBar(bytesDone, totalBytes, barWidth)}`,
    `${byteSize(bytesDone)} of ${byteSize(totalBytes)}`,
  ];
  const bytesPerMs = elapsedMs > 0 ? bytesDone / elapsedMs : 0;
  if (bytesPerMs > 0) {
    parts.push(`${byteSize(bytesPerMs * 1000)}/s`);
    if (filesPerSecond !== undefined) parts.push(`${count(filesPerSecond)} files/s`);
    if (bytesDone < totalBytes) parts.push(`${age((totalBytes - bytesDone) / bytesPerMs)} left`);
  }
  return parts.join('  ');
}
