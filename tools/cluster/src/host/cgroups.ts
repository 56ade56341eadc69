import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@lateen/kernel';
import { waitUntil } from './wait-until.ts';

const cgroupMount = '/sys/fs/cgroup';
/** A killed process leaves its cgroup a moment later. */
const emptyTimeoutMs = 15_000;

/**
 * The folders in which a cgroup has to be created: one for cgroup v2, one per controller for v1 (and hybrid). Links such as `cpu,cpuacct`
 * are left out, because they are the same folder.
 */
export async function cgroupRoots(): Promise<string[]> {
  if (await exists(join(cgroupMount, 'cgroup.controllers'))) return [cgroupMount];
  const entries = await readdir(cgroupMount, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(cgroupMount, entry.name));
  const mounted = await Promise.all(folders.map((folder) => exists(join(folder, 'cgroup.procs'))));
  return folders.filter((_, at) => mounted[at]);
}

/** Creates a top-level cgroup in every hierarchy, with all controllers enabled in it. Safe to repeat. */
export async function ensureCgroup(name: string): Promise<void> {
  for (const root of await cgroupRoots()) {
    await enableControllers(root);
    const folder = join(root, name);
    await mkdir(folder, { recursive: true });
    // A v1 cpuset is empty at first, and no process can be added before both files are set.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (!root.endsWith('/cpuset') || !(await exists(join(folder, file)))) continue;
      if ((await readFile(join(folder, file), 'utf8')).trim() === '')
        await writeFile(join(folder, file), await readFile(join(root, file), 'utf8'));
    }
  }
}

/** cgroup v2 passes controllers on only when the parent enables them; v1 has no such file. */
async function enableControllers(root: string): Promise<void> {
  if (root !== cgroupMount) return;
  const names = (await readFile(join(root, 'cgroup.controllers'), 'utf8')).trim().split(/\s+/);
  const enabled = (await readFile(join(root, 'cgroup.subtree_control'), 'utf8')).trim().split(/\s+/);
  for (const controller of names)
    if (controller !== '' && !enabled.includes(controller))
      await writeFile(join(root, 'cgroup.subtree_control'), `+${controller}`);
}

/** Every top-level cgroup folder whose name matches the predicate. */
export async function findCgroups(wanted: (name: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const root of await cgroupRoots())
    for (const name of await readdir(root)) if (wanted(name)) found.push(join(root, name));
  return found;
}

/** Removes a cgroup folder with everything below it, lowest first, and waits for ended processes to leave. */
export async function removeCgroup(folder: string, clock: Clock): Promise<void> {
  const below = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of below) if (entry.isDirectory()) await removeCgroup(join(folder, entry.name), clock);
  await waitUntil(() => removed(folder), { what: `the cgroup ${folder} is empty`, timeoutMs: emptyTimeoutMs, clock });
}

/**
 * Removes the parts of a cgroup without processes, lowest first, without waiting. Parts with processes stay, with their parents; the cgroup
 * may not exist.
 * @returns the folders that stay because they have processes
 */
export async function removeEmptyCgroups(folder: string): Promise<string[]> {
  const below = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const stay: string[] = [];
  for (const entry of below)
    if (entry.isDirectory()) stay.push(...(await removeEmptyCgroups(join(folder, entry.name))));
  if (stay.length > 0) return stay;
  try {
    await removed(folder);
    return [];
  } catch (error) {
    if (!inUse.includes((error as NodeJS.ErrnoException).code)) throw error;
    return [folder];
  }
}

/** The error codes of the kernel for a cgroup with processes, and for any other folder that is not empty. */
const inUse: readonly unknown[] = ['EBUSY', 'ENOTEMPTY'];

async function removed(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
