import { durationText } from '@lateen/kernel';
import { attachLoop, type LoopDevice } from '@lateen/volume';
import type { AttachedDevice, BlockFrontend, FrontendRequest, FrontendState } from '../block-frontend.ts';
import type { FrontendDeps } from '../frontend-deps.ts';
import { checkRequest, checkSize, checkVolumeName, notNow, reattachNeeded } from '../frontend-error.ts';
import { frontendLimits } from '../frontend-limits.ts';
import { detachLost } from './detach-marked.ts';
import { type FrontendSeen, lookAtFrontend } from './look.ts';
import { nbdfuseProcess, placesOf } from './nbdfuse-process.ts';
import { setSizeLimit } from './size-limit.ts';
import { stopFrontend } from './stop.ts';

/** The export as a file by nbdfuse, and a loop device with direct I/O on it: for kernels without NBD. */
export function nbdfuseFrontend(deps: FrontendDeps): BlockFrontend {
  return {
    look: async (volume, signal) => {
      checkVolumeName(volume);
      return stateOf(deps, volume, await lookAtFrontend(deps, volume, signal));
    },
    start: (request, signal) => start(deps, request, signal),
    grow: (volume, sizeBytes, signal) => grow(deps, volume, sizeBytes, signal),
    stop: async (volume, signal) => {
      checkVolumeName(volume);
      await stopFrontend(deps, volume, signal);
    },
    detachLost: (wanted, letGo, signal) => detachLost(deps, wanted, letGo, signal),
  };
}

async function stateOf(deps: FrontendDeps, volume: string, seen: FrontendSeen): Promise<FrontendState> {
  const { process, mount, loops, stale } = seen;
  if (process.state === 'gone' && mount === undefined && loops.length + stale.length === 0) return { kind: 'none' };
  if (stale.length > 0) return { kind: 'partial', reason: `${paths(stale)} is still there from an earlier one` };
  if (process.state === 'gone') return { kind: 'partial', reason: process.reason ?? 'its process has ended' };
  if (mount === undefined) return { kind: 'partial', reason: 'the engine has not answered yet' };
  const leaving = loops.filter(({ isLeaving }) => isLeaving);
  if (leaving.length > 0) return { kind: 'partial', reason: `${paths(leaving)} was detached and is still open` };
  const [loop] = loops;
  if (loop === undefined) return { kind: 'partial', reason: 'there is no device yet' };
  return { kind: 'attached', device: await deviceOf(deps, volume, loop) };
}

const paths = (loops: readonly LoopDevice[]): string => loops.map(({ path }) => path).join(', ');

async function deviceOf(deps: FrontendDeps, volume: string, loop: LoopDevice): Promise<AttachedDevice> {
  const { file } = placesOf(deps, volume);
  const exported = (await deps.host.files.facts(file))?.sizeBytes;
  if (exported === undefined) throw notNow(volume, `${file} cannot be read`);
  const sizeBytes = loop.sizeLimitBytes === 0 ? exported : loop.sizeLimitBytes;
  return { path: loop.path, sizeBytes, sizeBytesMax: exported };
}

async function start(deps: FrontendDeps, request: FrontendRequest, signal: AbortSignal): Promise<AttachedDevice> {
  checkRequest(request);
  const { volume, sizeBytes, reserveBytes } = request;
  const { mountPoint, file } = placesOf(deps, volume);
  const before = await lookAtFrontend(deps, volume, signal);
  refuseLeftovers(request, before);
  await deps.host.files.makeDirectory(mountPoint);
  await deps.processes.start(nbdfuseProcess(deps, request), signal);
  const mounted = await until(deps, volume, frontendLimits.readyMs, signal, ({ mount }) => mount !== undefined);
  const exported = (await deps.host.files.facts(file))?.sizeBytes;
  if (exported !== sizeBytes + reserveBytes)
    throw notNow(volume, `the engine serves ${exported} bytes, not ${sizeBytes} and ${reserveBytes} in reserve`);
  if (mounted.loops.length === 0)
    await attachLoop(deps.host, file, { readOnly: false, sizeLimitBytes: sizeBytes, signal });
  const { loops } = await until(deps, volume, frontendLimits.deviceMs, signal, (seen) => seen.loops.length > 0);
  const [loop] = loops as readonly [LoopDevice];
  const device = await deviceOf(deps, volume, loop);
  deps.host.log.info({ volume, device: device.path }, 'a volume has its device');
  return device;
}

/** A mount of this device would get the errors of an earlier engine's device. */
function refuseLeftovers({ volume, run }: FrontendRequest, { process, mount, loops, stale }: FrontendSeen): void {
  const leaving = loops.filter(({ isLeaving }) => isLeaving);
  const left = process.state === 'gone' ? [...loops, ...stale] : [...leaving, ...stale];
  if (left.length > 0) throw leftover(volume, `${paths(left)} is still there from an earlier one`);
  if (process.state === 'lives' && process.run !== run) throw leftover(volume, `run ${process.run} is still there`);
  if (process.state === 'gone' && mount !== undefined)
    throw leftover(volume, `${mount.mountPoint} is still mounted, and its process has ended`);
}

const leftover = (volume: string, reason: string) => notNow(volume, reason, { nextStep: 'Stop it first.' });

/** Looks until it is so. @throws `NOT_POSSIBLE_NOW` when the process ends before, or when it takes too long */
async function until(
  deps: FrontendDeps,
  volume: string,
  withinMs: number,
  signal: AbortSignal,
  isSo: (seen: FrontendSeen) => boolean,
): Promise<FrontendSeen> {
  const { clock } = deps.host;
  const beganMs = clock.monotonicMs();
  for (;;) {
    const seen = await lookAtFrontend(deps, volume, signal);
    if (seen.process.state === 'gone') throw notNow(volume, seen.process.reason ?? 'its process has ended');
    if (isSo(seen)) return seen;
    if (clock.monotonicMs() - beganMs >= withinMs) {
      const what = seen.mount === undefined ? 'the engine has not answered' : 'the kernel shows no device';
      throw notNow(volume, `${what} for ${durationText(withinMs)}`);
    }
    await clock.sleep(frontendLimits.pollMs, signal);
  }
}

async function grow(
  deps: FrontendDeps,
  volume: string,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<AttachedDevice> {
  checkVolumeName(volume);
  checkSize(sizeBytes);
  const state = await stateOf(deps, volume, await lookAtFrontend(deps, volume, signal));
  if (state.kind !== 'attached') throw notNow(volume, state.kind === 'none' ? 'there is none' : state.reason);
  const { device } = state;
  if (sizeBytes <= device.sizeBytes) return device;
  if (sizeBytes > device.sizeBytesMax)
    throw reattachNeeded(volume, `its device has room for ${device.sizeBytesMax} bytes, not for ${sizeBytes}`);
  await setSizeLimit(deps.host, device.path, sizeBytes, signal);
  return { ...device, sizeBytes };
}
