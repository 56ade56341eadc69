import { readFileSync } from 'node:fs';

/** Memory of this process in MB: resident now, or the maximum so far. */
export const residentMb = (field: 'VmRSS' | 'VmHWM'): number => {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
};
