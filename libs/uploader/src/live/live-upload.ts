import type { UploadRequest, UploadResult } from '@lateen/datapath';
import type { Clock, Logger } from '@lateen/kernel';
import type { Programs } from '../attributes/programs.ts';
import { find, type Scanned } from '../attributes/scan-programs.ts';
import { LiveFiles } from './live-files.ts';

export interface LiveOptions {
  session: { redact(text: string): string };
  programs: Programs;
  clock: Clock;
  log: Logger;
}

/**
 * An upload of any engine, which is told to go on where files of a volume in use vanish; afterwards it is found out which changed
 * meanwhile. What comes of it is a warning of the result. A volume that nobody uses is uploaded as it is.
 */
export async function liveUpload(
  options: LiveOptions,
  request: UploadRequest,
  upload: (live: LiveFiles | undefined) => Promise<UploadResult>,
): Promise<UploadResult> {
  if (request.source.isLive !== true) return await upload(undefined);
  const { clock, log, session } = options;
  const sinceMs = clock.now();
  const live = new LiveFiles({ log, redact: (text) => session.redact(text) });
  const result = await upload(live);
  await lookForChanges(options, request, { sinceMs, live });
  const warning = live.warning();
  if (warning === undefined) return result;
  log.warn({ snapshotID: result.snapshotID }, warning);
  request.onWarning?.(warning);
  return { ...result, warning };
}

/** The snapshot is there and whole by then, so neither an error nor an abort counts any more. */
async function lookForChanges(
  { programs, log }: LiveOptions,
  { volumePath, signal }: UploadRequest,
  { sinceMs, live }: { sinceMs: number; live: LiveFiles },
): Promise<void> {
  try {
    await changedSince({ programs, volumePath, signal }, sinceMs, (path) => live.changed(path));
  } catch (error) {
    log.warn({ err: error }, 'cannot find out which files changed while the volume was read');
  }
}

/**
 * Tells the files whose data, name or owner changed since a time: those whose status change time is later. That is the kernel's
 * to set, so nobody changes a file without it. One look at each entry, constant memory. Where the volume is that of a server, its clock
 * counts; one that goes behind hides the first changes. @throws as `scan`
 */
async function changedSince(volume: Scanned, sinceMs: number, onChanged: (path: string) => void): Promise<void> {
  const since = `@${(sinceMs / 1000).toFixed(3)}`;
  await find(volume, ['-type', 'f', '-newerct', since], ({ path }) =>
    onChanged(Buffer.from(path, 'latin1').toString('utf8')),
  );
}
