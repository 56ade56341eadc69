import { byteSize } from '@lateen/errors';
import { deleteIfThere, type KubeApi, listAll } from '@lateen/kube';
import { findObject } from '@lateen/operations/noun';
import { volumeNoun } from '@lateen/operations/storage';
import { type Engine, engineType, type Snapshot, snapshotType, storageLabels } from '@lateen/storage-types';
import { decideSnapshotPurge } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { agreesToDelete, requireSomebodyToAsk } from '../../agree-to-delete.ts';
import { withBooleanFlag } from '../../boolean-flag.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedArgument } from '../../completion/completion.ts';
import { openStorage } from '../open-storage.ts';
import { volumeNames } from '../storage-names.ts';

/** `lateen storage snapshot purge VOLUME`: deletes snapshots that no user has created; the manager merges removed ones itself. */
export function snapshotPurgeCommand(context: CommandContext): Command {
  const command = new Command('purge')
    .description('Delete the snapshots that the manager created in a volume, and show why removed ones are still there')
    .addArgument(completedArgument('<volume>', 'name of the volume', volumeNames));
  return withBooleanFlag(command, '--confirm', 'do not ask')
    .addHelpText('after', '\nExamples:\n  lateen storage snapshot purge pvc-1')
    .action(async (name: string, flags: { confirm?: boolean }, self: Command) => {
      requireSomebodyToAsk(context, flags);
      const { signal, stdout } = context;
      const { kube, namespace } = await openStorage(context, self);
      await findObject(kube, volumeNoun, { namespace, name }, signal);
      const labelSelector = `${storageLabels.volume}=${name}`;
      const { items } = await listAll<Snapshot>(kube, snapshotType, { namespace, labelSelector, signal });
      const systems = items.filter(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.userCreated === false,
      );
      for (const [removed, why] of Object.entries(await keptRemoved(kube, namespace, name, signal)))
        stdout.write(`snapshot ${removed} is removed and still there: ${why}\n`);
      if (systems.length === 0) {
        stdout.write(`volume ${name} has no snapshots that the manager created\n`);
        return;
      }
      const described = systems.map(({ metadata, status }) => `${metadata.name}, ${byteSize(status?.size ?? 0)}`);
      if (!(await agreesToDelete(context, flags, () => described))) return;
      for (const snapshot of systems) {
        await deleteIfThere(kube, snapshotType, snapshot, signal);
        stdout.write(`snapshot ${snapshot.metadata.name} is being deleted\n`);
      }
    });
}

/** Why removed snapshots of a volume are still there, by name. */
async function keptRemoved(
  kube: KubeApi,
  namespace: string,
  volume: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const labelSelector = `${storageLabels.volume}=${volume}`;
  const { items } = await listAll<Engine>(kube, engineType, { namespace, labelSelector, signal });
  return decideSnapshotPurge(items[0]?.status?.snapshots ?? {}).kept;
}
