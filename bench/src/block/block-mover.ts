import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import { type BlockOptions, kopiaUploader, systemBlock } from '@lateen/uploader';

const graceMs = 5_000;

/** Moves one device with kopia, as the mover does. */
export function blockMover(
  session: KopiaSession,
  scratchDirectory: string,
  change: (block: BlockOptions) => BlockOptions,
) {
  const uploader = kopiaUploader({
    session,
    clock: systemClock,
    random: systemRandom,
    programs: { run: () => Promise.reject(new Error('a device has no files')) },
    block: change(systemBlock({ clock: systemClock, graceMs, scratchDirectory })),
    log: silentLogger,
    parallelFiles: 2,
    discardMs: 20_000,
    flush: async () => {},
  });
  const common = (volumePath: string, config: Record<string, string>) => ({
    volumePath,
    volumeMode: 'Block' as const,
    config,
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  return {
    upload: (device: string, config: Record<string, string> = {}) =>
      uploader.upload({ ...common(device, config), source: { path: 'bench/block', tags: {} } }),
    download: (snapshotID: string, device: string, config: Record<string, string> = {}) =>
      uploader.download({ ...common(device, config), snapshotID }),
  };
}
