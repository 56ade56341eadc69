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

/** What this node has. A volume that is attached stays with the kind it was attached by: nodes do not change while they run. */
export async function chooseFrontend(deps: FrontendDeps): Promise<{ kind: FrontendKind; frontend: BlockFrontend }> {
  const kind = await frontendKind(deps.host.files, deps.programs.nbdClient);
  return { kind, frontend: kind === 'nbdfuse' ? nbdfuseFrontend(deps) : kernelNbdFrontend(deps) };
}
