import { blockVolumeError, type Call } from '@lateen/block-engine';
import { usageOf } from '../host/usage.ts';
import { volumeLimits } from '../limits.ts';
import { conditionOf } from '../node/volume-stats.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { changing, volumeId, volumeNamed } from './engine-names.ts';

export async function trimLocal(deps: LocalEngineDeps, volume: string, o: Call): Promise<{ freedBytes: bigint }> {
  return changing(deps, o, { what: 'volume', ids: () => [volumeId(deps, volume)] }, async () => {
    const file = deps.paths.backingFile(volumeNamed(deps, volume));
    const [mount] = (await usageOf(deps.host, file, o.signal)).fileSystemMounts;
    if (mount === undefined) {
      throw blockVolumeError(
        'NOT_POSSIBLE_NOW',
        `no file system of volume ${volume} is mounted, so it is not known what is free`,
        {
          nextStep: 'Trim it while a pod has it mounted.',
        },
      );
    }
    const allocated = async () => (await deps.host.files.facts(file))?.allocatedBytes ?? 0;
    const before = await allocated();
    const { signal } = o;
    await deps.host.run('fstrim', [mount.mountPoint], { signal, timeoutMs: volumeLimits.formatCommandMs });
    return { freedBytes: BigInt(Math.max(0, before - (await allocated()))) };
  });
}

export async function conditionLocal(deps: LocalEngineDeps, volume: string, o: Call) {
  return changing(deps, o, { what: 'volume', ids: () => [] }, async () => {
    const record = volumeNamed(deps, volume);
    const file = deps.paths.backingFile(record);
    const [mount] = (await usageOf(deps.host, file, o.signal)).fileSystemMounts;
    return conditionOf(record, (await deps.host.files.facts(file))?.sizeBytes, mount);
  });
}
