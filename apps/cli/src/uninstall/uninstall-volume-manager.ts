import { AppError, plainLine } from '@lateen/errors';
import { renderManifests } from '@lateen/manifests';
import {
  findVolumeManager,
  refuseVolumes,
  removeVolumeManager,
  type VolumeManagerInstallation,
} from '@lateen/operations/installation';
import { longhornNamespace } from '@lateen/storage-types';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { askToConfirm } from '../confirm.ts';
import { bundledManifests } from '../install/bundled-manifests.ts';
import { liveLine } from '../output/live-line.ts';

export interface VolumeManagerRemovalFlags {
  confirm?: boolean;
  keepCrds?: boolean;
  dryRun?: boolean;
}

/** `lateen uninstall --volume-manager`: backups and stored data stay as they are. */
export async function uninstallVolumeManager(
  flags: VolumeManagerRemovalFlags,
  global: GlobalOptions,
  timeoutMs: number,
  context: CommandContext,
): Promise<void> {
  const { signal, stdout, stderr, clock } = context;
  const kube = await context.connect(global);
  const objects = renderManifests(await bundledManifests(), { parts: ['volume-manager'] });
  const found = await findVolumeManager(kube, objects, signal);
  const lines = describe(found, flags.keepCrds === true);
  if (lines.length === 0) {
    stdout.write('Nothing of the volume manager is in this cluster.\n');
    return;
  }
  for (const line of lines) stderr.write(`to be ${line}\n`);
  refuseVolumes(found);
  if (flags.dryRun === true) return;
  if (flags.confirm !== true)
    await askToConfirm(context, {
      question: 'Remove all this?',
      would: 'all this would be removed',
      undone: 'nothing was removed',
    });
  const line = liveLine(stderr);
  const onWaiting = (text: string): void => line.show(`waiting for ${text}`);
  const onRemoved = (title: string): void => {
    line.end();
    stdout.write(`removed  ${title}\n`);
  };
  try {
    const waiting = { kube, clock, signal, timeoutMs, onWaiting, onRemoved };
    await removeVolumeManager(found, flags.keepCrds === true, waiting);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError(
      'INTERRUPTED',
      'stopped; what is removed stays removed; run the same command again to remove the rest',
    );
  } finally {
    line.end();
  }
  stdout.write(
    'The volume manager is removed. Replica folders without a Replica object are still on the disks of the nodes.\n',
  );
}

function describe(found: VolumeManagerInstallation, keepCrds: boolean): string[] {
  const { namespace, workloads, clusterObjects, volumes, backups, backupTargets, definitions } = found;
  if (namespace === undefined && workloads.length + clusterObjects.length + definitions.length === 0) return [];
  return [
    ...volumes.map(({ metadata }) => `removed   Volume ${metadata.name} with its data`),
    ...(backups.length === 0 ? [] : [`removed   ${backups.length} Backup objects`]),
    ...backupTargets.map(({ metadata }) => `removed   BackupTarget ${metadata.name}`),
    ...backupTargets
      .map(({ spec }) => plainLine(spec.backupTargetURL ?? ''))
      .filter((url) => url !== '')
      .map((url) => `left      what is stored in ${url}; an installation with this target lists it again`),
    ...workloads.map(({ kind, metadata }) => `removed   ${kind} ${longhornNamespace}/${metadata.name}`),
    ...(namespace === undefined ? [] : [`removed   Namespace ${longhornNamespace} with everything in it`]),
    ...clusterObjects.map(({ kind, metadata }) => `removed   ${kind} ${metadata.name}`),
    ...(definitions.length === 0
      ? []
      : [`${keepCrds ? 'kept  ' : 'removed'}   ${definitions.length} CustomResourceDefinitions of longhorn.io`]),
  ];
}
