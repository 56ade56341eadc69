import type { DownloadTargetKind } from '@lateen/api-types';
import { inflate } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import { type FollowOptions, followLink, type LinkedFile } from './follow-link.ts';
import { type LinkOptions, type LinkPorts, withLink } from './request-link.ts';

export type DownloadOptions = LinkOptions & Omit<FollowOptions, 'silenceMs'>;

/** The only kind that users want in its stored form. */
const keptPacked: ReadonlySet<DownloadTargetKind> = new Set(['BackupContents']);

const broken = (what: string, cause: unknown): AppError =>
  new AppError('DOWNLOAD_BROKEN', `the file is damaged or incomplete: ${what}`, { cause });

/**
 * Downloads one file of a backup or restore, unpacked unless it is BackupContents, and passes it to `use` in pieces. Memory is bounded for
 * any size. The time-out applies to the wait for the link and then to each wait for data, not to the whole file, which may take long.
 * `totalBytes` is only known for files that are not unpacked.
 * @throws as `withLink` and `followLink`, and what `use` throws
 */
export async function downloadFile<R>(
  ports: LinkPorts,
  options: DownloadOptions,
  use: (file: LinkedFile) => Promise<R>,
  signal: AbortSignal,
): Promise<R> {
  const asStored = keptPacked.has(options.target.kind);
  const take = (file: LinkedFile) =>
    use(asStored ? file : { totalBytes: undefined, pieces: inflate(file.pieces, broken) });
  const follow = (url: string) => followLink(url, { ...options, silenceMs: options.timeoutMs }, take, signal);
  return await withLink(ports, options, follow, signal);
}
