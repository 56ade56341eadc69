import type { Files } from '@lateen/volume';
import type { BlockFrontend } from './block-frontend.ts';
import type { FrontendDeps } from './frontend-deps.ts';
import { kernelNbdFrontend } from './kernel-nbd/kernel-nbd-frontend.ts';
import { nbdfuseFrontend } from './nbdfuse/nbdfuse-frontend.ts';

export type FrontendKind = 'nbdfuse' | 'kernel-nbd';

/** The kernel's own client where it is there: one process and one copy less, and nothing of FUSE below the page cache. */
export async function frontendKind(files: Files, nbdClient: string | undefined): Promise<FrontendKind> {
  const modules = await files.list('/sys/module');
  return nbdClient !== undefined && modules.includes('nbd') ? 'kernel-nbd' : 'nbdfuse';
}

/**
 * What this node has. Volumes that are attached stay with the kind they were attached by: anybody may load the module of the kernel at any
 * time, and the other kind would end the process of nbdfuse below a file system that is mounted. Each of its volumes has a folder.
 */
export async function chooseFrontend(deps: FrontendDeps): Promise<{ kind: FrontendKind; frontend: BlockFrontend }> {
  const { files } = deps.host;
  const isInUse = (await files.list(deps.directory)).length > 0;
  const kind = isInUse ? 'nbdfuse' : await frontendKind(files, deps.programs.nbdClient);
  return { kind, frontend: kind === 'nbdfuse' ? nbdfuseFrontend(deps) : kernelNbdFrontend(deps) };
}
