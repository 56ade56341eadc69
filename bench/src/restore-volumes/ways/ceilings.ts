import { join } from 'node:path';
import type { Way } from '../way.ts';
import { runMeasured } from './run-measured.ts';

/** Only writes the files: the same tree with `tar x`, or the device with `dd`, and one sync. */
export const writeAlone: Way = {
  name: 'tar',
  title: 'files written by tar x (device: dd)',
  distant: false,
  runs: () => true,
  run: async (context) => {
    const { dataset, made, volume } = context;
    const script =
      dataset.mode === 'Block'
        ? 'dd if="$1" of="$2" bs=1M conv=fdatasync status=none'
        : 'tar -x --sparse -f "$1" -C "$2" && sync --file-system "$2"';
    await runMeasured(context, '/bin/sh', ['-c', script, 'sh', made.archive, volume]);
    return undefined;
  },
};

/** Only downloads the bytes: all packs, many in parallel, without storing them. */
export const downloadAlone: Way = {
  name: 'download',
  title: 'all packs downloaded, 16 at once',
  distant: true,
  runs: () => true,
  run: async (context) => await downloadPacks(context, undefined),
};

export async function downloadPacks(
  context: Parameters<Way['run']>[0],
  directory: string | undefined,
): Promise<string> {
  const { made, store } = context;
  const order = { location: made.target(store.endpoint).location, prefix: 'kopia/bench/', directory };
  return await runMeasured(context, process.execPath, [join(import.meta.dirname, 'download-main.ts')], {
    LATEEN_BENCH: JSON.stringify(order),
  });
}
