import type { WantedProcess } from '@lateen/instance-host';
import type { FrontendRequest } from '../block-frontend.ts';
import { type FrontendDeps, processId } from '../frontend-deps.ts';
import { frontendLimits } from '../frontend-limits.ts';

/**
 * nbd-client in the foreground (with ioctls: by netlink it would leave the device to the kernel and end), for nbd-client 3.20 and later. No `-persist`: the
 * end of an engine is an error for users of the device, and never a silent connection to the next one. Timeout 0 is none: the engine
 * holds writes for as long as a failure is not recorded.
 */
export function nbdClientProcess(deps: FrontendDeps, request: FrontendRequest, device: string): WantedProcess {
  const { volume, run, socketPath, exportName } = request;
  const { nbdClient = 'nbd-client' } = deps.programs;
  const { sectorBytes, kernelConnections } = frontendLimits;
  return {
    id: processId(volume),
    kind: 'nbd-client',
    run,
    argv: [
      nbdClient,
      ...['-unix', socketPath, device],
      ...['-name', exportName],
      ...['-block-size', `${sectorBytes}`],
      ...['-connections', `${kernelConnections}`],
      ...['-timeout', '0'],
      ...['-nonetlink', '-nofork'],
    ],
    volume,
  };
}

/** The device that a process of ours is for. */
export function deviceOfArguments(argv: readonly string[]): string | undefined {
  return argv.find((argument) => /^\/dev\/nbd\d+$/.test(argument));
}
