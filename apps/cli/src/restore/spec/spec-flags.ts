import type { Command } from 'commander';
import { withBooleanFlag } from '../../boolean-flag.ts';
import { collectList } from '../../collect-list.ts';
import { collectPairs } from '../../collect-pairs.ts';
import { completedOption, severalOf } from '../../completion/completion.ts';
import { backupNames, configMapNames, namespaceNames, scheduleNames } from '../../completion/object-names.ts';
import { type ExistingVolumeFlags, withExistingVolumeFlags } from './existing-volume-flags.ts';

/**
 * Flags for the contents of a restore and the way it is done; `restore create` and `restore plan` share them (cli.md section 4).
 */
export interface RestoreFlags extends ExistingVolumeFlags {
  fromBackup?: string;
  fromSchedule?: string;
  allowPartiallyFailed?: boolean;
  includeNamespaces?: string[];
  excludeNamespaces?: string[];
  namespaceMappings?: string[];
  includeResources?: string[];
  excludeResources?: string[];
  includeClusterResources?: boolean;
  selector?: string;
  orSelector?: string;
  labels?: string;
  annotations?: string;
  restoreVolumes?: boolean;
  preserveNodeports?: boolean;
  existingResourcePolicy?: string;
  statusIncludeResources?: string[];
  statusExcludeResources?: string[];
  itemOperationTimeout?: string;
  resourceModifierConfigmap?: string;
  skipDefaultResourceModifier?: boolean;
  resourcePoliciesConfigmap?: string;
  ownerRefRestoreConfigmap?: string;
  writeSparseFiles?: boolean;
  parallelFilesDownload?: string;
  directRestore?: boolean;
}

export const existingResourcePolicies = ['none', 'update'] as const;

/** List flags: the flag, what it lists, and its help text. */
const lists = [
  ['--include-namespaces', 'names', 'namespaces of the backup to restore, globs allowed (default: all)'],
  ['--exclude-namespaces', 'names', 'namespaces of the backup to leave out, globs allowed'],
  ['--include-resources', 'resources', 'resources to restore, such as deployments.apps; * means all'],
  ['--exclude-resources', 'resources', 'resources to leave out, such as storageclasses.storage.k8s.io'],
  ['--status-include-resources', 'resources', 'resources whose status is restored too; * means all'],
  ['--status-exclude-resources', 'resources', 'resources whose status is not restored'],
] as const;

/** Adds the flags; those with names of cluster objects complete them. */
export function withRestoreFlags(command: Command): Command {
  command
    .addOption(completedOption('--from-backup <name>', 'the backup to restore', backupNames))
    .addOption(completedOption('--from-schedule <name>', 'its newest backup that is Completed', scheduleNames));
  withBooleanFlag(command, '--allow-partially-failed', 'with --from-schedule: also one that is PartiallyFailed');
  for (const [flag, of, about] of lists) {
    const option = completedOption(`${flag} <${of},…>`, about, severalOf(of === 'names' ? namespaceNames : []));
    command.addOption(option.argParser(collectList(flag)));
  }
  command
    .option(
      '--namespace-mappings <from:to,…>',
      'restore a namespace under another name, such as shop:shop-copy',
      collectList('--namespace-mappings'),
    )
    .option('-l, --selector <labels>', "only objects with these labels, such as 'app=shop,tier in (db,cache)'")
    .option('--or-selector <selectors>', "only objects that one of these matches: 'a=b or c=d'");
  withBooleanFlag(
    command,
    '--include-cluster-resources',
    'all cluster-scoped objects, or with =false none (default: those that belong to what is restored)',
  );
  return withConfigMapFlags(withVolumeFlags(withExistingFlags(command)))
    .option('--labels <key=value,…>', 'labels of the restore', collectPairs)
    .option('--annotations <key=value,…>', 'annotations of the restore', collectPairs)
    .option('--item-operation-timeout <duration>', 'longest wait for operations of plugins and data movers');
}

function withExistingFlags(command: Command): Command {
  command.addOption(
    completedOption(
      '--existing-resource-policy <policy>',
      'what to do with existing objects that differ: none keeps them, update changes them (default: none)',
      existingResourcePolicies,
    ),
  );
  withExistingVolumeFlags(command);
  return withBooleanFlag(command, '--preserve-nodeports', 'keep the node ports of Services');
}

function withVolumeFlags(command: Command): Command {
  withBooleanFlag(command, '--restore-volumes', 'restore volumes from their snapshots (default: where there are some)');
  withBooleanFlag(command, '--write-sparse-files', 'write runs of zeros as holes');
  withBooleanFlag(
    command,
    '--direct-restore',
    'false: volumes are restored by the engine, which is slower (default true)',
  );
  return command.option(
    '--parallel-files-download <count>',
    'files that are written at the same time, for each volume',
  );
}

/** ConfigMaps in Lateen's namespace: the flag and its help text. */
const configMaps = [
  ['--resource-modifier-configmap', 'changes to make to objects before they are created'],
  ['--resource-policies-configmap', 'filters per namespace and for cluster-scoped resources'],
  ['--owner-ref-restore-configmap', 'which owner references are put back between restored objects'],
] as const;

function withConfigMapFlags(command: Command): Command {
  for (const [flag, about] of configMaps)
    command.addOption(completedOption(`${flag} <name>`, `ConfigMap with ${about}`, configMapNames));
  return withBooleanFlag(command, '--skip-default-resource-modifier', "without the server's default modifier");
}
