import type { DownloadRequest, DownloadResult } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import type { DirectRestore, TreeRequest } from '@lateen/kopia-restore';
import { prepareAttributes } from '../attributes/prepare-attributes.ts';
import { isObjectId } from '../block/only-file.ts';
import { wantedParallel } from '../kopia-args.ts';
import { checkedSnapshot, mustBeOfFiles } from '../kopia-download.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { type SnapshotManifest, snapshotManifestOf } from '../snapshot-manifest.ts';
import { snapshotNotFound } from '../volume-failures.ts';
import { directAttributes } from './direct-attributes.ts';

/** Like `kopiaDownload`, but from the packs of the repository. */
export async function directDownload(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
  direct: DirectRestore,
): Promise<DownloadResult> {
  const { signal, volumePath, config, onProgress, snapshotID } = request;
  const manifest = await lookUpDirect(request, direct);
  await mustBeOfFiles(request, manifest, (objectId) => textOf(direct, objectId, signal));
  const { totalBytes, files: totalFiles } = manifest;
  const attributes = prepareAttributes(options, request, manifest, directAttributes(direct));
  try {
    const { counts, report } = await direct.restoreTree(
      {
        volumePath,
        rootEntry: manifest.rootEntry,
        totalBytes,
        totalFiles,
        there: takenAsThere(options, request),
        deletesExtra: config.DeleteExtraFiles === 'true',
        writesSparse: config.WriteSparseFiles === 'true',
        writersMax: wantedParallel(config.ParallelFilesDownload),
        onProgress,
        flush: (ends) => options.flush(volumePath, ends),
      },
      signal,
    );
    for (const text of warningsOf(counts)) {
      options.log.warn({ snapshotID }, text);
      request.onWarning?.(text);
    }
    await attributes.apply();
    await options.flush(volumePath, signal);
    onProgress({ totalBytes, doneBytes: totalBytes, totalFiles: counts.files, doneFiles: counts.files });
    options.log.info({ ...report }, 'the volume is restored from the packs of the repository');
    return { totalBytes, report };
  } finally {
    await attributes.release();
  }
}

/** Files that the volume may hold already: written by an earlier attempt, or unchanged in a restore of changes only. */
export const takenAsThere = (
  { sinceMs }: Pick<KopiaUploaderOptions, 'sinceMs'>,
  { config }: Pick<DownloadRequest, 'config'>,
): TreeRequest['there'] => ({
  sinceNs: sinceMs === undefined ? undefined : BigInt(sinceMs) * 1_000_000n,
  skipsUnchanged: config.SkipUnchangedFiles === 'true',
});

export async function lookUpDirect(
  { snapshotID, signal }: DownloadRequest,
  direct: DirectRestore,
): Promise<SnapshotManifest> {
  return await checkedSnapshot(snapshotID, async () => {
    try {
      return snapshotManifestOf(await direct.manifest(snapshotID, signal), snapshotID);
    } catch (error) {
      if (!isAppError(error, 'MANIFEST_NOT_FOUND')) throw error;
      throw snapshotNotFound(direct.name, error);
    }
  });
}

/** Reads a small object as text. */
export async function textOf(direct: DirectRestore, objectId: string, signal: AbortSignal): Promise<string> {
  if (!isObjectId(objectId)) return '';
  const pieces: Uint8Array[] = [];
  for await (const piece of direct.readObject(objectId, signal)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

interface ToldProblems {
  complaints: { count: number; told: readonly string[] };
  unread: { count: number; told: readonly string[] };
}

/** Warnings for the user after a restore that otherwise succeeded. Pure. */
function warningsOf({ complaints, unread }: ToldProblems): string[] {
  const text = (what: string, { count, told }: ToldProblems['complaints']) =>
    count === 0 ? [] : [`${count} ${what}: ${told.join('; ')}${count > told.length ? ' …' : ''}`];
  return [
    ...text('owners, permissions or times could not be set', complaints),
    ...text('entries are in the snapshot by name alone, because they could not be read', unread),
  ];
}
