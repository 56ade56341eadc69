import type { DownloadRequest, DownloadResult } from '@lateen/datapath';
import type { DirectRestore } from '@lateen/kopia-restore';
import { skipsZeroes } from '../block/block-options.ts';
import { mustFit } from '../block/fill-device.ts';
import { mustBeOfDevice, parseOnlyFile } from '../block/only-file.ts';
import { zeroedByItself } from '../block/write-device.ts';
import { wantedParallel } from '../kopia-args.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { lookUpDirect, takenAsThere, textOf } from './direct-download.ts';

/**
 * Like `kopiaBlockDownload`, but from the packs of the repository. Blocks that an earlier attempt has written, or that are
 * unchanged in a restore of changes only, are recognised by their hash and neither fetched nor written.
 */
export async function directBlockDownload(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
  direct: DirectRestore,
): Promise<DownloadResult> {
  const { signal, volumePath, config, onProgress, snapshotID } = request;
  const { rootObject } = await lookUpDirect(request, direct);
  const text = rootObject === undefined ? '' : await textOf(direct, rootObject, signal);
  const { objectId, sizeBytes: totalBytes } = mustBeOfDevice(snapshotID, parseOnlyFile(text));
  const device = await options.block.devices.open(volumePath, 'write');
  try {
    mustFit(device, totalBytes);
    const there = takenAsThere(options, request);
    const comparesParts = there.sinceNs !== undefined || there.skipsUnchanged;
    const skips = skipsZeroes(request);
    // Blocks that are to be compared must not be zeroed first.
    const readsZero = skips && !comparesParts && (await zeroedByItself(device, totalBytes, signal));
    const { report } = await direct.restoreDevice(
      {
        devicePath: volumePath,
        objectId,
        totalBytes,
        totalFiles: undefined,
        there,
        skipsZeroes: skips,
        readsZero,
        writersMax: wantedParallel(config.ParallelFilesDownload),
        onProgress,
      },
      signal,
    );
    signal.throwIfAborted();
    await device.flush();
    onProgress({ totalBytes, doneBytes: totalBytes });
    options.log.info({ ...report, device: volumePath }, 'the block device is filled from the packs of the repository');
    return { totalBytes, report };
  } finally {
    await device.close();
  }
}
