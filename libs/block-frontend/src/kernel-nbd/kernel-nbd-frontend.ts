import { durationText } from '@lateen/kernel';
import { readMounts, runQuick, usageIn } from '@lateen/volume';
import type { AttachedDevice, BlockFrontend, FrontendRequest, FrontendState } from '../block-frontend.ts';
import { type FrontendDeps, processId } from '../frontend-deps.ts';
import { checkRequest, checkSize, checkVolumeName, notNow, reattachNeeded } from '../frontend-error.ts';
import { frontendLimits } from '../frontend-limits.ts';
import { deviceOfArguments, nbdClientProcess } from './nbd-client-arguments.ts';

/** `/dev/nbd<n>` by the kernel's own client, where the kernel has it. It takes no reserve: its device is as long as the export. */
export function kernelNbdFrontend(deps: FrontendDeps): BlockFrontend {
  return {
    look: (volume, signal) => look(deps, volume, signal),
    start: (request, signal) => start(deps, request, signal),
    grow: async (volume, sizeBytes, signal) => {
      checkSize(sizeBytes);
      const state = await look(deps, volume, signal);
      if (state.kind !== 'attached') throw notNow(volume, state.kind === 'none' ? 'there is none' : state.reason);
      if (sizeBytes <= state.device.sizeBytes) return state.device;
      throw reattachNeeded(volume, `${state.device.path} has the size that it was connected with`);
    },
    stop: (volume, signal) => stop(deps, volume, signal),
    // A device of the kernel ends with its client.
    detachLost: async () => {},
  };
}

async function look(deps: FrontendDeps, volume: string, signal: AbortSignal): Promise<FrontendState> {
  checkVolumeName(volume);
  const process = await deps.processes.look(processId(volume), signal);
  if (process.state === 'gone') return { kind: 'none' };
  const path = deviceOfArguments(process.argv);
  if (path === undefined) return { kind: 'partial', reason: 'its process is for no device' };
  const sizeBytes = await sizeOf(deps, path);
  if (sizeBytes === 0) return { kind: 'partial', reason: 'the engine has not answered yet' };
  return { kind: 'attached', device: { path, sizeBytes, sizeBytesMax: sizeBytes } };
}

async function start(deps: FrontendDeps, request: FrontendRequest, signal: AbortSignal): Promise<AttachedDevice> {
  checkRequest(request);
  const { volume, sizeBytes, reserveBytes } = request;
  if (reserveBytes !== 0) throw notNow(volume, 'a device of the kernel is as long as its export: it has no reserve');
  const { clock } = deps.host;
  const process = await deps.processes.look(processId(volume), signal);
  if (process.state === 'lives' && process.run !== request.run)
    throw notNow(volume, `run ${process.run} is still there`, { nextStep: 'Stop it first.' });
  if (process.state === 'gone')
    await deps.processes.start(nbdClientProcess(deps, request, await freeDevice(deps, volume)), signal);
  const beganMs = clock.monotonicMs();
  for (;;) {
    const state = await look(deps, volume, signal);
    if (state.kind === 'none') throw notNow(volume, 'its process has ended');
    if (state.kind === 'attached') {
      if (state.device.sizeBytes === sizeBytes) return state.device;
      throw notNow(volume, `the engine serves ${state.device.sizeBytes} bytes, not ${sizeBytes}`);
    }
    if (clock.monotonicMs() - beganMs >= frontendLimits.readyMs)
      throw notNow(volume, `${state.reason}, for ${durationText(frontendLimits.readyMs)}`);
    await clock.sleep(frontendLimits.pollMs, signal);
  }
}

/** The kernel has a file `pid` for each device in use. Two starts at once may choose the same one: the second process then ends. */
async function freeDevice({ host: { files } }: FrontendDeps, volume: string): Promise<string> {
  const names = (await files.list('/sys/block')).filter((name) => /^nbd\d+$/.test(name));
  names.sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
  for (const name of names) {
    if ((await files.readText(`/sys/block/${name}/pid`)) === undefined) return `/dev/${name}`;
  }
  throw notNow(volume, `all ${names.length} NBD devices of the node are in use`, {
    nextStep: 'Load the module nbd with a larger nbds_max.',
  });
}

const sysfsSectorBytes = 512;

async function sizeOf({ host: { files } }: FrontendDeps, path: string): Promise<number> {
  const text = await files.readText(`/sys/block/${path.slice('/dev/'.length)}/size`);
  return Number(text ?? 0) * sysfsSectorBytes;
}

/** Asks the kernel to disconnect, which ends the client. */
async function stop(deps: FrontendDeps, volume: string, signal: AbortSignal): Promise<void> {
  checkVolumeName(volume);
  const { clock } = deps.host;
  const { nbdClient = 'nbd-client' } = deps.programs;
  const beganMs = clock.monotonicMs();
  for (;;) {
    const process = await deps.processes.look(processId(volume), signal);
    if (process.state === 'gone') return await deps.processes.end(processId(volume), signal);
    const path = deviceOfArguments(process.argv);
    const mountPoints = path === undefined ? [] : await mountPointsOf(deps, path);
    if (mountPoints.length === 0) {
      if (path !== undefined) await runQuick(deps.host, signal, nbdClient, ['-d', path], [0, 1]);
      await deps.processes.end(processId(volume), signal);
    }
    if (clock.monotonicMs() - beganMs >= frontendLimits.stopMs) {
      const reason =
        mountPoints.length === 0 ? 'its process has not ended' : `still mounted at ${mountPoints.join(', ')}`;
      throw notNow(volume, `it cannot be removed: ${reason}`);
    }
    await clock.sleep(frontendLimits.pollMs, signal);
  }
}

async function mountPointsOf({ host }: FrontendDeps, path: string): Promise<string[]> {
  const name = path.slice('/dev/'.length);
  const device = ((await host.files.readText(`/sys/block/${name}/dev`)) ?? '').trim();
  const { fileSystemMounts, deviceMounts } = usageIn([{ path, device }], await readMounts(host));
  return [...fileSystemMounts, ...deviceMounts].map(({ mountPoint }) => mountPoint);
}
