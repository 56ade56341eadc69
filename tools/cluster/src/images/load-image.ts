import { access } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { ClusterInfo } from '../lifecycle/cluster-info.ts';
import { clusterLayout, type MachineLayout } from '../lifecycle/cluster-layout.ts';
import { findInit } from '../machine/find-init.ts';
import { importImage } from './import-image.ts';

/**
 * Loads an OCI archive into every node of a cluster. Repeating it is harmless.
 * @throws ARCHIVE_MISSING, NODE_NOT_RUNNING, IMAGE_IMPORT_FAILED
 */
export async function loadImage(
  info: Pick<ClusterInfo, 'dir' | 'nodes'>,
  archivePath: string,
  signal?: AbortSignal,
): Promise<void> {
  await access(archivePath).catch((cause) => {
    throw new AppError('ARCHIVE_MISSING', `there is no readable image archive ${archivePath}`, { cause });
  });
  const layout = clusterLayout(info.dir);
  const nodes = info.nodes.map((_, at) => layout.node(at + 1));
  await Promise.all(nodes.map((node) => loadInto(node, archivePath, signal)));
}

async function loadInto(node: MachineLayout, archivePath: string, signal: AbortSignal | undefined): Promise<void> {
  const init = await findInit(node);
  if (init === undefined)
    throw new AppError('NODE_NOT_RUNNING', `${node.name} is not running`, {
      nextStep: 'Run `npm run cluster -- up` first.',
    });
  await importImage({ initPid: init.pid, layout: node }, archivePath, signal);
}
