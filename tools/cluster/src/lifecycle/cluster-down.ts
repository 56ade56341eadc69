import { rm } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { withFileLock } from '@lateen/image';
import { type Clock, systemClock } from '@lateen/kernel';
import { findCgroups, removeCgroup } from '../host/cgroups.ts';
import { detachLoopsBelow } from '../host/detach-loops.ts';
import { mountsBelow, unmount } from '../host/mounts.ts';
import { requireRoot } from '../host/requirements.ts';
import { run } from '../host/run.ts';
import { endMachines } from '../machine/end-machines.ts';
import { findInits } from '../machine/find-init.ts';
import { hostInterface } from '../network/host-link.ts';
import { deleteNamedNetwork, namedNetworks } from '../network/named-networks.ts';
import { during, type Progress, silentProgress } from '../progress/progress.ts';
import { type ClusterLayout, clusterLayout, uniquePrefix } from './cluster-layout.ts';
import { defaultClusterDir } from './default-dir.ts';
import { findLeftovers } from './find-leftovers.ts';

export interface ClusterDownOptions {
  dir?: string;
  progress?: Progress;
  signal?: AbortSignal;
  clock?: Clock;
}

/**
 * Removes a cluster: processes, namespaces, mounts, loop devices, interfaces, cgroups, and its folder with all data. Works also for an
 * incomplete or broken cluster, and when there is none. May be repeated after an abort or an error.
 * @throws NOT_ROOT, WAIT_TIMEOUT naming processes that do not end, CLUSTER_LEFTOVERS with what could not be removed
 */
export async function clusterDown(options: ClusterDownOptions = {}): Promise<void> {
  const { signal, clock = systemClock, progress = silentProgress } = options;
  requireRoot();
  const layout = clusterLayout(options.dir ?? defaultClusterDir);
  if ((await findLeftovers({ dir: layout.dir })).length === 0) return;
  const onWait = (): void => progress.note(`waiting for another command on the cluster in ${layout.dir}`);
  await withFileLock(layout.lockFile, { onWait, signal }, async () => {
    await during(progress, 'ending machines', () => endProcesses(layout, clock));
    signal?.throwIfAborted();
    await during(progress, 'removing loop devices, network and cgroups', () => removeKernelObjects(layout, clock));
    signal?.throwIfAborted();
    await during(progress, `removing ${layout.dir}`, () => removeFiles(layout));
  });
  const left = await findLeftovers({ dir: layout.dir });
  if (left.length === 0) return;
  throw new AppError(
    'CLUSTER_LEFTOVERS',
    `the cluster is down, but these remain: ${left.map(({ kind, name }) => `${kind} ${name}`).join('; ')}`,
    { nextStep: 'Run the command again. Remove by hand what it still lists then.' },
  );
}

async function endProcesses({ id }: ClusterLayout, clock: Clock): Promise<void> {
  await endMachines(id, await findInits((name) => name.startsWith(uniquePrefix(id))), clock);
}

async function removeKernelObjects(layout: ClusterLayout, clock: Clock): Promise<void> {
  for (const name of await namedNetworks((name) => name.startsWith(uniquePrefix(layout.id))))
    await deleteNamedNetwork(name);
  await run('ip', ['link', 'delete', hostInterface(layout.id)], { acceptCodes: [1] });
  for (const mount of await mountsBelow(layout.dir)) await unmount(mount);
  await detachLoopsBelow(layout.dir, clock);
  const cgroups = await findCgroups((name) => name.startsWith(uniquePrefix(layout.id)));
  await Promise.all(cgroups.map((folder) => removeCgroup(folder, clock)));
}

async function removeFiles(layout: ClusterLayout): Promise<void> {
  const mounted = await mountsBelow(layout.dir);
  if (mounted.length > 0)
    throw new AppError('STILL_MOUNTED', `${mounted.join(', ')} is still mounted, so the folder was not removed`);
  await rm(layout.dir, { recursive: true, force: true });
  await rm(layout.lockFile, { force: true });
}
