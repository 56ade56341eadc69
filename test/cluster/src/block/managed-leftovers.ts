import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMountInfo } from '@lateen/kernel';
import { processesOf } from './instance-manager-rig.ts';
import type { ManagedVolume } from './instance-manager-volume.ts';
import { markedDevices } from './marked-devices.ts';

/** Remains of a volume in the kernel, among processes and on the nodes. */
export async function leftovers({ directory, nodes }: ManagedVolume): Promise<string[]> {
  const loops = await Promise.all(
    nodes.map(async ({ runtime }) => markedDevices((await readFile(join(runtime, 'device-mark'), 'utf8')).trim())),
  );
  const mounts = parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8')).filter(({ mountPoint }) =>
    mountPoint.startsWith(directory),
  );
  const processes = (await processesOf(directory)).filter(({ command }) => !/ (serve|keep) /.test(command));
  const files = await Promise.all(
    nodes.flatMap(({ runtime, devices }) =>
      [join(runtime, 'r'), join(runtime, 'e'), join(runtime, 'fronts'), join(runtime, 'processes'), devices].map(
        async (at) => (await readdir(at).catch(() => [])).map((name) => join(at, name)),
      ),
    ),
  );
  const paths = [...loops.flat().map(({ path }) => path), ...mounts.map(({ mountPoint }) => mountPoint)];
  return [...paths, ...processes.map(({ command }) => command), ...files.flat()];
}
