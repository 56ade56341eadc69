import { hostError } from '@lateen/block-engine';
import type { AttachedDevice } from '@lateen/block-frontend';
import { type Host, listLoops, readMounts, usageIn } from '@lateen/volume';

/** Longer than a trim of a large volume takes. */
const trimMs = 30 * 60_000;

/** Where the file system on a device is mounted, as this container sees it; undefined when it is not mounted, or the volume is a block volume. */
export async function mountPointOf(
  host: Host,
  { path }: AttachedDevice,
  signal: AbortSignal,
): Promise<string | undefined> {
  const loops = (await listLoops(host, signal)).filter((loop) => loop.path === path);
  const { fileSystemMounts } = usageIn(loops, await readMounts(host));
  return fileSystemMounts[0]?.mountPoint;
}

/** Trims the mounted file system while it is in use. Resolves with the number of bytes freed. */
export async function trimFileSystem(host: Host, mountPoint: string, signal: AbortSignal): Promise<bigint> {
  const { stdout } = await host.run('fstrim', ['--verbose', mountPoint], { signal, timeoutMs: trimMs });
  const bytes = /\((\d+) bytes\)/.exec(stdout)?.[1];
  if (bytes === undefined) throw hostError('NOT_POSSIBLE_NOW', `fstrim said "${stdout.slice(0, 200)}"`);
  return BigInt(bytes);
}
