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
 * Runs an upload of any engine on a volume in use: files that vanish do not end it, and afterwards the volume is scanned for
 * files that changed meanwhile. Both are reported as a warning of the result. A volume that no pod uses is uploaded without this.
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

/** The snapshot is complete at this point, so neither an error nor an abort fails the upload. */
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
 * Finds the files whose data, name or owner changed since a time: those with a later status change time. Only the kernel sets
 * that time, so every change shows. Looks once at each entry, in constant memory. When the volume is on a file server, the
 * server's clock counts; a clock that is behind hides the first changes. @throws as `scan`
 */
async function changedSince(volume: Scanned, sinceMs: number, onChanged: (path: string) => void): Promise<void> {
  const since = `@${(sinceMs / 1000).toFixed(3)}`;
  await find(volume, ['-type', 'f', '-newerct', since], ({ path }) =>
    onChanged(Buffer.from(path, 'latin1').toString('utf8')),
  );
}
