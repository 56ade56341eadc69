import { listAll } from '@lateen/kube';
import { removalFactsOf, replicaNoun, unlessRefused } from '@lateen/operations/storage';
import { type Replica, replicaType, storageLabels } from '@lateen/storage-types';
import { checkReplicaRemove } from '@lateen/volume-decisions';
import type { CommandContext } from '../command-context.ts';
import { storageDeleteCommand } from './delete-command.ts';
import { replicaNames } from './storage-names.ts';

const examples = `
Examples:
  lateen storage replica delete pvc-1-r-9c1e4b2a`;

/** `lateen storage replica delete [NAME…]`; refuses to delete the last replica that may hold data. */
export const replicaDeleteCommand = (context: CommandContext) =>
  storageDeleteCommand<Replica>(
    {
      noun: replicaNoun,
      about: 'Delete replicas of volumes with their data; each is replaced by a new one',
      examples,
      names: replicaNames,
      describe: ({ metadata, spec }) =>
        `${metadata.name} of volume ${spec.volumeName} on ${spec.nodeID || 'no node'}; its data is deleted, and a new replica is made`,
      check: async ({ metadata, spec }, { kube, namespace }, signal) => {
        const labelSelector = `${storageLabels.volume}=${spec.volumeName}`;
        const { items } = await listAll(kube, replicaType, { namespace, labelSelector, signal });
        const all = items.filter((each) => each.metadata.deletionTimestamp === undefined).map(removalFactsOf);
        const own = all.find(({ name }) => name === metadata.name);
        if (own !== undefined) unlessRefused(checkReplicaRemove(spec.volumeName ?? '', own, all));
      },
    },
    context,
  );
