import { isAppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';
import { findObject } from '@lateen/operations/noun';
import { storageBackupNoun, unlessRefused, volumeNoun } from '@lateen/operations/storage';
import { plannedVolume } from '@lateen/storage-rest';
import {
  backupType,
  longhornGroup,
  longhornNodeType,
  longhornVersion,
  settingOverrides,
  settingType,
  storageLabels,
  type Volume,
  volumeType,
} from '@lateen/storage-types';
import { dataSourceText, readSettings } from '@lateen/volume-decisions';
import { Command } from 'commander';
import { collectList } from '../../collect-list.ts';
import type { CommandContext } from '../../command-context.ts';
import { completedOption } from '../../completion/completion.ts';
import { type ListFlags, listPrinter, withListFlags } from '../../output/list-flags.ts';
import { badFlag } from '../../refuse-flag.ts';
import { openStorage } from '../open-storage.ts';
import { parseBytes } from '../parse-bytes.ts';
import { backupNames } from '../storage-names.ts';
import { type WaitFlags, waitFor, withWaitFlags } from '../wait-flags.ts';
import { readVolumeFlags, withVolumeFlags } from './update.ts';
import { volumeColumns } from './volume-columns.ts';

interface Flags extends WaitFlags, Partial<ListFlags> {
  fromBackup?: string;
  standby?: boolean;
  restoreRecurringJobs?: string;
  nodeSelector?: string[];
  diskSelector?: string[];
  fromVolume?: string;
  fromSnapshot?: string;
}

/** Minutes; the default in StorageClasses too. The API itself would accept 0, which keeps failed replicas for ever. */
const staleReplicaTimeoutDefault = 2880;

const examples = `
Examples:
  lateen storage volume create scratch 10Gi --wait
  lateen storage volume create scratch 10Gi --replicas 2 --disk-selector ssd
  lateen storage volume create copy --from-volume scratch --wait
  lateen storage volume create copy 20Gi --from-snapshot scratch/before-upgrade
  lateen storage volume create scratch 10Gi -o yaml > volume.yaml
  lateen storage volume create back --from-backup backup-0123456789abcdef --wait
  lateen storage volume create back --from-backup backup-0123456789abcdef --restore-recurring-jobs enabled
  lateen storage volume create follower --from-backup backup-0123456789abcdef --standby`;

/** `lateen storage volume create NAME SIZE` */
export function storageVolumeCreateCommand(context: CommandContext): Command {
  const command = new Command('create')
    .description('Create a volume without a claim; what is not named comes from the settings')
    .argument('<name>', 'name of the volume')
    .argument(
      '[size]',
      'its size as a quantity, such as 10Gi, rounded up to 2 MiB; a volume from a backup has the size of the backup, a clone by default that of its source',
    )
    .addOption(completedOption('--from-backup <backup>', 'name or URL of the backup to restore', backupNames))
    .option('--standby', 'restore each newer backup of the same volume too, until it is activated')
    .addOption(
      completedOption(
        '--restore-recurring-jobs <how>',
        `whether the recurring jobs of that backup come back with it: ${settingOverrides.join(', ')}`,
        settingOverrides,
      ),
    )
    .option('--from-volume <name>', 'begin with the content of this volume, as it is now')
    .option('--from-snapshot <volume/snapshot>', 'begin with the content of this snapshot of a volume')
    .option('--node-selector <tags>', 'tags that a node must have for a replica', collectList('--node-selector'))
    .option('--disk-selector <tags>', 'tags that a disk must have for a replica', collectList('--disk-selector'));
  withListFlags(withVolumeFlags(command), { creates: true });
  return withWaitFlags(command, 'it can be attached')
    .addHelpText('after', examples)
    .action(async (name: string, size: string | undefined, flags: Flags, self: Command) => {
      const { signal, stdout, clock } = context;
      const { fromBackup, standby = false } = flags;
      const source = sourceOf(flags);
      if (size === undefined && fromBackup === undefined && source.dataSource === undefined)
        throw badFlag('the size of the volume is missing');
      if (size !== undefined && fromBackup !== undefined)
        throw badFlag('a volume from a backup has the size of that', 'Leave the size out.');
      if (standby && fromBackup === undefined) throw badFlag('--standby needs --from-backup');
      const body = {
        ...readVolumeFlags(self),
        name,
        ...(size === undefined ? {} : { size: String(parseBytes('the size', size)) }),
        ...(standby ? { standby, frontend: '' } : {}),
        ...jobsOf(flags),
        nodeSelector: flags.nodeSelector ?? [],
        diskSelector: flags.diskSelector ?? [],
        ...source,
      };
      const { output } = flags;
      const print = listPrinter(volumeColumns(clock.now()), { ...flags, output: output ?? 'table' });
      const opened = await openStorage(context, self);
      const volume = await newVolume(
        opened.kube,
        opened.namespace,
        {
          staleReplicaTimeout: staleReplicaTimeoutDefault,
          ...body,
          ...(fromBackup === undefined ? {} : { fromBackup: await backupUrlOf(opened, fromBackup, signal) }),
        },
        signal,
      );
      if (output !== undefined) {
        stdout.write(print([volume], { asList: false }));
        return;
      }
      await opened.kube.create(volumeType, volume, { signal });
      stdout.write(`volume ${name} is created\n`);
      if (flags.wait === true) await waitFor(context, opened, made(name, standby), flags);
    });
}

/** @throws AppError when there are no jobs to restore */
function jobsOf({ restoreRecurringJobs: how, fromBackup, standby }: Flags): { restoreVolumeRecurringJob?: string } {
  if (how === undefined) return {};
  const known: readonly string[] = settingOverrides;
  if (!known.includes(how)) throw badFlag(`--restore-recurring-jobs "${how}" is not one of ${known.join(', ')}`);
  if (fromBackup === undefined) throw badFlag('--restore-recurring-jobs needs --from-backup');
  if (standby === true) throw badFlag('a standby volume gets no recurring jobs', 'Give it some when it is activated.');
  return { restoreVolumeRecurringJob: how };
}

/** Text that is no URL is the name of a Backup. @throws AppError NO_SUCH_BACKUP, STORAGE_REFUSED for one that is not complete */
async function backupUrlOf(
  { kube, namespace }: { readonly kube: KubeApi; readonly namespace: string },
  text: string,
  signal: AbortSignal,
): Promise<string> {
  if (text.includes('://')) return text;
  const { status } = await findObject(kube, storageBackupNoun, { namespace, name: text }, signal);
  const { url = '', state = '' } = status ?? {};
  unlessRefused(state === 'Completed' && url !== '' ? undefined : `backup ${text} is not complete: ${state || 'new'}`);
  return url;
}

/** @throws AppError when both are named, or a snapshot without its volume */
function sourceOf({ fromVolume, fromSnapshot }: Flags): { dataSource?: string } {
  if (fromVolume !== undefined && fromSnapshot !== undefined)
    throw badFlag('--from-volume and --from-snapshot exclude each other', 'Take one of them.');
  if (fromVolume !== undefined) return { dataSource: dataSourceText({ volume: fromVolume }) };
  if (fromSnapshot === undefined) return {};
  const [volume = '', snapshot = '', ...rest] = fromSnapshot.split('/');
  if (volume === '' || snapshot === '' || rest.length > 0)
    throw badFlag(`--from-snapshot ${JSON.stringify(fromSnapshot)} names no snapshot`, 'Write it as VOLUME/SNAPSHOT.');
  return { dataSource: dataSourceText({ volume, snapshot }) };
}

/** The volume as the REST API would create it from the same input. @throws AppError STORAGE_REFUSED */
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

const made = (name: string, standby: boolean) => ({
  noun: volumeNoun,
  name,
  goal: standby ? `volume ${name} is in standby` : `volume ${name} can be attached`,
  next: `lateen storage volume describe ${name}`,
  look: (seen: Volume | undefined) => {
    const { state = 'new', conditions, restoreRequired, cloneStatus } = seen?.status ?? {};
    const scheduled = conditions?.find(({ type }) => type === 'Scheduled');
    if (scheduled?.status === 'False') return { waits: `a replica cannot be scheduled: ${scheduled.message}` };
    if (standby && restoreRequired === true && state === 'attached') return 'done' as const;
    if (restoreRequired === true) {
      const failure = conditions?.find(({ type, reason }) => type === 'Restore' && reason === 'RestoreFailure');
      return { waits: `its content is being restored${failure === undefined ? '' : `: ${failure.message}`}` };
    }
    const isClone = (seen?.spec.dataSource ?? '') !== '';
    if (cloneStatus?.state === 'failed')
      return { waits: `its clone has failed: ${conditions?.find(({ type }) => type === 'Restore')?.message ?? ''}` };
    if (isClone && cloneStatus?.state !== 'completed')
      return { waits: `its content is being copied from ${seen?.spec.dataSource}` };
    return state === 'detached' || state === 'attached' ? ('done' as const) : { waits: state };
  },
});
