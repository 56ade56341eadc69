import { backupTypes, blockDataMover, builtInDataMover, fileSystemDataMover } from '@lateen/api-types';
import type { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import { collectPairs } from '../../collect-pairs.ts';
import { completedOption, severalOf } from '../../completion/completion.ts';
import { configMapNames, locationNames, namespaceNames, snapshotLocationNames } from '../../completion/object-names.ts';

/**
 * Flags for the contents of a backup and the way it is made; `backup create` and `schedule create` share them (cli.md section 3).
 */
export interface SpecFlags {
  includeNamespaces?: string[];
  excludeNamespaces?: string[];
  includeResources?: string[];
  excludeResources?: string[];
  includeClusterScopedResources?: string[];
  excludeClusterScopedResources?: string[];
  includeNamespaceScopedResources?: string[];
  excludeNamespaceScopedResources?: string[];
  includeClusterResources?: boolean;
  selector?: string;
  orSelector?: string;
  labels?: string;
  annotations?: string;
  ttl?: string;
  storageLocation?: string;
  volumeSnapshotLocations?: string[];
  snapshotVolumes?: boolean;
  snapshotMoveData?: boolean;
  defaultVolumesToFsBackup?: boolean;
  orderedResources?: string;
  csiSnapshotTimeout?: string;
  itemOperationTimeout?: string;
  resourcePoliciesConfigmap?: string;
  dataMover?: string;
  backupType?: string;
  parallelFilesUpload?: string;
  volumeGroupSnapshotLabelKey?: string;
}

/** List flags: the flag, what it lists, and its help text. */
const lists = [
  ['--include-namespaces', 'names', 'namespaces to back up, globs allowed (default: all)'],
  ['--exclude-namespaces', 'names', 'namespaces to leave out, globs allowed'],
  ['--include-resources', 'resources', 'resources to back up, such as deployments.apps; * means all'],
  ['--exclude-resources', 'resources', 'resources to leave out, such as storageclasses.storage.k8s.io'],
  ['--include-cluster-scoped-resources', 'resources', 'cluster-scoped resources to back up; * means all'],
  ['--exclude-cluster-scoped-resources', 'resources', 'cluster-scoped resources to leave out; * means all'],
  ['--include-namespace-scoped-resources', 'resources', 'namespaced resources to back up; * means all'],
  ['--exclude-namespace-scoped-resources', 'resources', 'namespaced resources to leave out; * means all'],
] as const;

/** Adds the flags; those with names of cluster objects complete them. */
export function withSpecFlags(command: Command): Command {
  for (const [flag, of, about] of lists) {
    const option = completedOption(`${flag} <${of},…>`, about, severalOf(of === 'names' ? namespaceNames : []));
    command.addOption(option.argParser(collectList(flag)));
  }
  withVolumeFlags(withSelectionFlags(command));
  return command
    .option('--labels <key=value,…>', 'labels of the backup', collectPairs)
    .option('--annotations <key=value,…>', 'annotations of the backup', collectPairs)
    .option('--ttl <duration>', 'how long it is kept, such as 72h (default: as the server says, 720h)')
    .addOption(
      completedOption('--storage-location <name>', 'where it is stored (default: the default location)', locationNames),
    )
    .option(
      '--ordered-resources <kind=names;…>',
      "objects to back up first and in that order: 'pods=ns1/pod1,ns1/pod2;persistentvolumes=pv4'",
    )
    .option('--item-operation-timeout <duration>', 'longest wait for operations of plugins and data movers')
    .addOption(
      completedOption(
        '--resource-policies-configmap <name>',
        'ConfigMap with policies that choose what happens to volumes and resources',
        configMapNames,
      ),
    );
}

function withSelectionFlags(command: Command): Command {
  command
    .option('-l, --selector <labels>', "only objects with these labels, such as 'app=shop,tier in (db,cache)'")
    .option('--or-selector <selectors>', "only objects that one of these matches: 'a=b or c=d'");
  return withBooleanFlag(
    command,
    '--include-cluster-resources',
    'all cluster-scoped objects, or with =false none (default: those that belong to what is backed up)',
  );
}

function withVolumeFlags(command: Command): Command {
  withBooleanFlag(command, '--snapshot-volumes', 'take snapshots of volumes (default: where possible)');
  withBooleanFlag(command, '--snapshot-move-data', 'move the data of snapshots to the storage location');
  withBooleanFlag(command, '--default-volumes-to-fs-backup', 'read volumes of pods through the file system');
  return command
    .addOption(
      completedOption(
        '--volume-snapshot-locations <names,…>',
        'where native snapshots are kept, one for a provider',
        severalOf(snapshotLocationNames),
      ).argParser(collectList('--volume-snapshot-locations')),
    )
    .option('--csi-snapshot-timeout <duration>', 'longest wait for a CSI snapshot to be taken')
    .option('--volume-group-snapshot-label-key <label>', 'label whose value puts claims into one group snapshot')
    .addOption(
      completedOption('--data-mover <name>', 'data mover to use (default: the built-in one)', [
        builtInDataMover,
        fileSystemDataMover,
        blockDataMover,
      ]),
    )
    .addOption(
      completedOption(
        '--backup-type <type>',
        'Full: read whole volumes; Incremental: read only changes, where they are known (default)',
        [...backupTypes],
      ),
    )
    .option('--parallel-files-upload <count>', 'files that are read at the same time, for each volume');
}
