import { readFileSync } from 'node:fs';

/** Of this process, resident now or at most so far, in MB. */
export const residentMb = (field: 'VmRSS' | 'VmHWM'): number => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
};
