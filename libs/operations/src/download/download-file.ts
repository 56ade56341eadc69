import type { DownloadTargetKind } from '@lateen/api-types';
import { inflate } from '@lateen/archive';
import { AppError } from '@lateen/errors';
import { type FollowOptions, followLink, type LinkedFile } from './follow-link.ts';
import { type LinkOptions, type LinkPorts, withLink } from './request-link.ts';

export type DownloadOptions = LinkOptions & Omit<FollowOptions, 'silenceMs'>;

/** The one kind that people want as it is stored. */
const keptPacked: ReadonlySet<DownloadTargetKind> = new Set(['BackupContents']);

const broken = (what: string, cause: unknown): AppError =>
  new AppError('DOWNLOAD_BROKEN', `the file is damaged or incomplete: ${what}`, { cause });

/**
 * Brings one file of a backup or restore, unpacked unless it is BackupContents, and hands it to `use` in pieces. Memory
 * is bounded whatever its size. The time-out counts until the link is there, and then for each silence of the store, not
 * for the whole file: a large one may take its time. `totalBytes` is known only of what is not unpacked.
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
