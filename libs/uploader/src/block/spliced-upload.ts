import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { type AppError, isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import type { SourcePolicy } from '../splitter/decide-splitter.ts';
import type { BlockDevice } from './block-device.ts';
import { skipsUnused } from './block-options.ts';
import {
  type BlockChanges,
  type BlockSplice,
  baseUnusableCode,
  type FullRead,
  type SplicedVolume,
  sessionCodes,
} from './block-splice.ts';

/** One snapshot of the changes, or why everything has to be read; undefined when nobody asks for changes. */
export type SplicedUpload = { kind: 'spliced'; result: UploadResult } | FullRead | undefined;

/**
 * Makes one snapshot of a block device from its base and the changes. When the changes are not known, the base cannot be used, or
 * there is no session with the repository, everything has to be read. `incrementalBytes` is the number of bytes
 * read from the device. Errors are those of the whole upload, and what else `splice` throws.
 */
export async function splicedUpload(
  { block, blockSplice, log }: KopiaUploaderOptions,
  request: UploadRequest,
  policy: SourcePolicy,
): Promise<SplicedUpload> {
  if (blockSplice === undefined) return undefined;
  const { source, volumePath, signal } = request;
  const device = await block.devices.open(volumePath, 'read');
  try {
    const { sizeBytes } = device;
    const of = { source, sizeBytes, ...policy, skipsUnused: skipsUnused(request), signal };
    const changes = await blockSplice.changesOf(of);
    if (changes.kind === 'full') return changes;
    const spliced = await splice(blockSplice, device, changes, request);
    const { snapshotID, readBytes, changedBytes, uploadedBytes, verifiedBytes = 0 } = spliced;
    const verified = verifiedBytes > 0 ? { verifiedBytes } : {};
    const readReport = { readBytes, changedBytes, uploadedBytes, ...verified };
    request.onProgress({ totalBytes: sizeBytes, doneBytes: sizeBytes });
    log.info(
      { snapshotID, baseID: changes.baseID, ...readReport, sizeBytes },
      'what has changed was read, the rest is of the base',
    );
    const result = { snapshotID, totalBytes: sizeBytes, incrementalBytes: readBytes, readReport };
    return { kind: 'spliced', result };
  } catch (error) {
    signal.throwIfAborted();
    const reason = fullReadReason(error);
    if (reason === undefined) throw error;
    const differsAt = differenceIn(error);
    if (differsAt === undefined) log.warn({ err: error }, 'no snapshot could be made of the base and the changes');
    else tellDifference(log, request, { error, reason, differsAt });
    return { kind: 'full', reason, differsAt };
  } finally {
    await device.close();
  }
}

/** Why everything has to be read; undefined for an error that a full read would meet too. */
export function fullReadReason(error: unknown): string | undefined {
  if (isAppError(error, baseUnusableCode)) return reasonIn(error) ?? error.message;
  return isAppError(error) && sessionCodes.has(error.code) ? error.message : undefined;
}

/** The offset at which a verification has found other bytes than are stored. */
const differenceIn = (error: unknown): number | undefined =>
  isAppError(error, baseUnusableCode) && typeof error.details?.offset === 'number' ? error.details.offset : undefined;

/** An alarm: earlier snapshots may be wrong, too, and nobody else notices. */
function tellDifference(
  log: Logger,
  { onWarning }: UploadRequest,
  { error, reason, differsAt }: { error: unknown; reason: string; differsAt: number },
): void {
  log.error({ err: error, offset: differsAt }, 'an unchanged part of the volume is stored with other bytes');
  onWarning?.(
    `The verification has failed: ${reason} from offset ${differsAt} on, where nothing is said to have changed. The whole volume is read. ` +
      'Earlier snapshots of it may miss changes: check the CSI driver, and verify them with lateen volume verify.',
  );
}

const reasonIn = ({ details }: AppError): string | undefined =>
  typeof details?.reason === 'string' ? details.reason : undefined;

function splice(
  { splice }: BlockSplice,
  device: BlockDevice,
  { kind: _, ...changes }: BlockChanges,
  { source, volumePath, onProgress, signal }: UploadRequest,
): Promise<SplicedVolume> {
  const { sizeBytes } = device;
  return splice({
    ...changes,
    source,
    sizeBytes,
    fileName: volumePath,
    read: (into, offset) => device.read(into, offset),
    // Progress is in bytes of the device: unchanged bytes count as done, and chunks that are read again count once.
    onProgress: ({ changedBytes, readBytes }) =>
      onProgress({ totalBytes: sizeBytes, doneBytes: sizeBytes - Math.max(0, changedBytes - readBytes) }),
    signal,
  });
}
