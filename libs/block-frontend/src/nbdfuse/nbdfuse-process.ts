import { join } from 'node:path';
import type { WantedProcess } from '@lateen/instance-host';
import type { FrontendRequest } from '../block-frontend.ts';
import { type FrontendDeps, processId } from '../frontend-deps.ts';
import { frontendLimits } from '../frontend-limits.ts';
import { frontFile } from './front-file.ts';

/** Where the export of a volume is mounted, and the one file in it. The DIRECTORY is what is mounted and unmounted. */
export function placesOf(
  { directory, mark }: Pick<FrontendDeps, 'directory' | 'mark'>,
  volume: string,
): { mountPoint: string; file: string } {
  const mountPoint = join(directory, volume);
  return { mountPoint, file: join(mountPoint, frontFile(volume, mark)) };
}

/** nbdfuse, in the foreground. It is ready when the mount point is mounted; it ends by itself when that is unmounted. */
export function nbdfuseProcess(deps: FrontendDeps, request: FrontendRequest): WantedProcess {
  const { volume, run, socketPath, exportName } = request;
  const { file } = placesOf(deps, volume);
  const uri = `nbd+unix:///${encodeURIComponent(exportName)}?socket=${encodeURIComponent(socketPath)}`;
  return {
    id: processId(volume),
    kind: 'nbdfuse',
    run,
    argv: [deps.programs.nbdfuse, '-C', `${frontendLimits.nbdfuseConnections}`, file, uri],
    volume,
  };
}
