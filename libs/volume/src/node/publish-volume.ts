import { type MountEntry, mountAt } from '@lateen/kernel';
import { findVolume } from '../controller/find-record.ts';
import { type Host, readMounts, runQuick } from '../host/host.ts';
import { ensureLoop } from '../host/loop-devices.ts';
import { type Usage, usageOf } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import type { VolumeUse } from './volume-use.ts';

export interface PublishRequest {
  volumeId: string;
  stagingPath: string;
  targetPath: string;
  use: VolumeUse;
}

/**
 * Shows a staged volume to a pod: a bind of the staged file system, or of the loop device on a file. Idempotent, also
 * after a crash between the bind and making it read-only.
 * @throws AppError `NOT_FOUND`, `FAILED_PRECONDITION` (not staged; a single writer has it elsewhere), `ALREADY_EXISTS`
 * (published there in another way).
 */
export async function publishVolume(deps: VolumeDeps, request: PublishRequest, signal: AbortSignal): Promise<void> {
  const record = findVolume(deps, request.volumeId);
  const file = deps.paths.backingFile(record);
  const usage = await usageOf(deps.host, file, signal);
  if (request.use.single) checkSingle(usage, request);
  if (request.use.access.kind === 'block') {
    return publishBlock(deps.host, file, request, signal);
  }
  const staged = usage.fileSystemMounts.some((mount) => mount.mountPoint === request.stagingPath);
  if (!staged) throw volumeError('FAILED_PRECONDITION', `volume ${record.id} is not staged at ${request.stagingPath}`);
  await deps.host.files.makeDirectory(request.targetPath);
  const there = mountAt(await readMounts(deps.host), request.targetPath);
  if (there !== undefined && !usage.fileSystemMounts.includes(there) && !isOneOf(there, usage.fileSystemMounts)) {
    throw occupied(request.targetPath, there);
  }
  await bind(
    deps.host,
    { from: request.stagingPath, to: request.targetPath, readOnly: request.use.readOnly, there },
    signal,
  );
}

/** A read-only bind of a device node does not stop writes to the device, so reading goes through a device of its own. */
async function publishBlock(host: Host, file: string, request: PublishRequest, signal: AbortSignal): Promise<void> {
  const loop = await ensureLoop(host, file, { readOnly: request.use.readOnly, signal });
  await bindDevice(host, loop.path, request.targetPath, signal);
}

/** Shows a device node at a path. Idempotent. @throws AppError `ALREADY_EXISTS` when something else is there */
export async function bindDevice(host: Host, path: string, targetPath: string, signal: AbortSignal): Promise<void> {
  const there = mountAt(await readMounts(host), targetPath);
  if (there !== undefined) {
    if (there.root === path.replace(/^\/dev/, '')) return;
    throw occupied(targetPath, there);
  }
  await host.files.makeMountFile(targetPath);
  await runQuick(host, signal, 'mount', ['--bind', path, targetPath]);
}

export interface BindPlan {
  from: string;
  to: string;
  readOnly: boolean;
  there: MountEntry | undefined;
}

export async function bind(host: Host, plan: BindPlan, signal: AbortSignal): Promise<void> {
  if (plan.there === undefined) await runQuick(host, signal, 'mount', ['--bind', plan.from, plan.to]);
  const isReadOnly = plan.there?.options.includes('ro') ?? false;
  if (plan.readOnly && !isReadOnly) await runQuick(host, signal, 'mount', ['-o', 'remount,bind,ro', plan.to]);
  if (!plan.readOnly && isReadOnly) {
    throw volumeError('ALREADY_EXISTS', `the volume is published read-only at ${plan.to}`, {
      nextStep: 'Unpublish it there first.',
    });
  }
}

export function checkSingle(
  usage: Usage<unknown>,
  request: Pick<PublishRequest, 'volumeId' | 'stagingPath' | 'targetPath'>,
): void {
  const own = [request.stagingPath, request.targetPath];
  const other = [...usage.fileSystemMounts, ...usage.deviceMounts].find(({ mountPoint }) => !own.includes(mountPoint));
  if (other === undefined) return;
  throw volumeError('FAILED_PRECONDITION', `volume ${request.volumeId} is published at ${other.mountPoint} already`, {
    retry: 'later',
    nextStep: 'Its access mode allows one pod at a time: wait until that pod is gone.',
  });
}

const isOneOf = (mount: MountEntry, mounts: readonly MountEntry[]) =>
  mounts.some(({ device }) => device === mount.device);

export function occupied(path: string, mount: MountEntry): Error {
  return volumeError('ALREADY_EXISTS', `${path} has ${mount.source} mounted on it already`);
}
