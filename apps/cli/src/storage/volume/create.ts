import { isAppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';
import { unlessRefused, volumeNoun } from '@lateen/operations/storage';
import { plannedVolume } from '@lateen/storage-rest';
import {
  backupType,
  longhornGroup,
  longhornNodeType,
  longhornVersion,
  settingType,
  storageLabels,
  type Volume,
  volumeType,
} from '@lateen/storage-types';
import { readSettings } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { type ListFlags, listPrinter, withListFlags } from '../../output/list-flags.ts';
import { openStorage } from '../open-storage.ts';
import { parseBytes } from '../parse-bytes.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';
import { readVolumeFlags, withVolumeFlags } from './update.ts';
import { volumeColumns } from './volume-columns.ts';

interface Flags extends WaitFlags, Partial<ListFlags> {
  size: string;
  nodeSelector?: string[];
  diskSelector?: string[];
}

/** Minutes; what StorageClasses say too. The API itself would take 0, which keeps failed replicas for ever. */
const staleReplicaTimeoutDefault = 2880;

const examples = `
Examples:
  lateen storage volume create scratch 10Gi --wait
  lateen storage volume create scratch 10Gi --replicas 2 --disk-selector ssd
  lateen storage volume create scratch 10Gi -o yaml > volume.yaml`;

/** `lateen storage volume create NAME SIZE` */
export function storageVolumeCreateCommand(context: CommandContext): Command {
  const command = new Command('create')
    .description('Create a volume without a claim; what is not named comes from the settings')
    .argument('<name>', 'name of the volume')
    .argument('<size>', 'its size as a quantity, such as 10Gi; rounded up to 2 MiB')
    .option('--node-selector <tags>', 'tags that a node must have for a replica', collectList('--node-selector'))
    .option('--disk-selector <tags>', 'tags that a disk must have for a replica', collectList('--disk-selector'));
  withListFlags(withVolumeFlags(command), { creates: true });
  return withWaitFlags(command, 'it can be attached')
    .addHelpText('after', examples)
    .action(async (name: string, size: string, flags: Flags, self: Command) => {
      const { signal, stdout, clock } = context;
      const body = {
        ...readVolumeFlags(self),
        name,
        size: String(parseBytes('the size', size)),
        nodeSelector: flags.nodeSelector ?? [],
        diskSelector: flags.diskSelector ?? [],
      };
      const { output } = flags;
      const print = listPrinter(volumeColumns(clock.now()), { ...flags, output: output ?? 'table' });
      const opened = await openStorage(context, self);
      const volume = await newVolume(
        opened.kube,
        opened.namespace,
        { staleReplicaTimeout: staleReplicaTimeoutDefault, ...body },
        signal,
      );
      if (output !== undefined) {
        stdout.write(print([volume], { asList: false }));
        return;
      }
      await opened.kube.create(volumeType, volume, { signal });
      stdout.write(`volume ${name} is created\n`);
      if (flags.wait === true) await waitFor(context, opened, made(name), flags);
    });
}

/** As the REST API would make it of the same. @throws AppError STORAGE_REFUSED */
async function newVolume(
  kube: KubeApi,
  namespace: string,
  body: { readonly name: string },
  signal: AbortSignal,
): Promise<Volume> {
  const options = { namespace, signal };
  const [settings, nodes, backups, volumes] = await Promise.all([
    listAll(kube, settingType, options),
    listAll(kube, longhornNodeType, options),
    listAll(kube, backupType, options),
    listAll(kube, volumeType, options),
  ]);
  const plan = orRefused(() =>
    plannedVolume(body, {
      settings: readSettings(settings.items).settings,
      nodeTags: new Set(nodes.items.flatMap(({ spec }) => spec.tags ?? [])),
      diskTags: new Set(
        nodes.items.flatMap(({ spec }) => Object.values(spec.disks ?? {}).flatMap(({ tags = [] }) => tags)),
      ),
      backup: (name) => backups.items.find(({ metadata }) => metadata.name === name),
      volume: (name) => volumes.items.find(({ metadata }) => metadata.name === name),
    }),
  );
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: volumeType.kind,
    metadata: {
      name: plan.name,
      namespace,
      labels: {
        ...plan.labels,
        [storageLabels.volume]: plan.name,
        [storageLabels.backupTarget]: plan.spec.backupTargetName ?? '',
      },
    },
    spec: plan.spec,
  };
}

function orRefused<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (!isAppError(error, 'REST_REFUSED')) throw error;
    unlessRefused(error.message);
    throw error;
  }
}

const made = (name: string) => ({
  noun: volumeNoun,
  name,
  goal: `volume ${name} can be attached`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { state = 'new', conditions, restoreRequired } = seen?.status ?? {};
    const scheduled = conditions?.find(({ type }) => type === 'Scheduled');
    if (scheduled?.status === 'False') return { waits: `a replica has no place: ${scheduled.message}` };
    if (restoreRequired === true) return { waits: 'its first content is being restored' };
    return state === 'detached' || state === 'attached' ? ('done' as const) : { waits: state };
  },
});
