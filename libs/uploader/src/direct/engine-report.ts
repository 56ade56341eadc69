import type { RestoreReport } from '@lateen/datapath';
import type { DeviceFigures } from '../block/fill-device.ts';

/** The report of a restore by the engine, from what can be measured from outside. Pure. */
export function engineReport(run: {
  totalBytes: number;
  files?: number | undefined;
  /** Of a block device. */
  figures?: DeviceFigures | undefined;
  seconds: number;
  reason: string | undefined;
}): RestoreReport {
  const { totalBytes, files = 0, reason } = run;
  const seconds = Math.max(run.seconds, 0.001);
  return {
    reader: 'engine',
    ...(reason === undefined ? {} : { reason }),
    files,
    filesPerSecond: Math.round(files / seconds),
    bytesPerSecond: Math.round(totalBytes / seconds),
    seconds: run.seconds,
    ...run.figures,
  };
}
