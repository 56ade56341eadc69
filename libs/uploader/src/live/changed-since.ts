import { find, type Scanned } from '../attributes/scan-programs.ts';

/**
 * Tells the files whose data, name or owner changed since a time: those whose status change time is later. That is the kernel's
 * to set, so nobody changes a file without it. One look at each entry, constant memory. Where the volume is that of a server, its clock
 * counts; one that goes behind hides the first changes. @throws as `scan`
 */
export async function changedSince(volume: Scanned, sinceMs: number, onChanged: (path: string) => void): Promise<void> {
  const since = `@${(sinceMs / 1000).toFixed(3)}`;
  await find(volume, ['-type', 'f', '-newerct', since], ({ path }) =>
    onChanged(Buffer.from(path, 'latin1').toString('utf8')),
  );
}
