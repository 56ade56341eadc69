import { providerNames } from '@lateen/operations/backup-location';
import { type Command, Option } from 'commander';
import { withBooleanFlag } from '../boolean-flag.ts';
import { collectPairs } from '../collect-pairs.ts';
import { completedOption } from '../completion/completion.ts';
import { configMapNames, serviceAccountNames } from '../completion/object-names.ts';
import { addBackupFlags } from './backup-flags.ts';
import { addFlagsWithoutEffect } from './flags-without-effect.ts';
import { manifestFormats } from './print-manifests.ts';
import { addSnapshotLocationFlags, type SnapshotLocationFlags } from './snapshot-location.ts';

/** `local`: a CSI driver for files on one node. `replicated`: volumes with replicas on several nodes. */
export const volumeManagers = ['none', 'local', 'replicated'] as const;
export type VolumeManager = (typeof volumeManagers)[number];

/** The command line of `lateen install`, as commander parses it. */
export interface InstallFlags extends SnapshotLocationFlags {
  bucket?: string;
  prefix?: string;
  backupLocationConfig?: string;
  cacert?: string;
  /** False: `--no-default-backup-location`. */
  defaultBackupLocation: boolean;
  secretFile?: string;
  /** False: `--no-secret`. */
  secret: boolean;
  image?: string;
  /** Images, separated by commas. */
  plugins?: string;
  useNodeAgent?: boolean;
  usePodVolumes?: boolean;
  nodeAgentDisableHostPath?: boolean;
  useCsiDriver?: boolean;
  csiSidecarImage?: string;
  useSnapshotMetadata?: boolean;
  volumeManager?: VolumeManager;
  volumeManagerImage?: string;
  privilegedManagers?: boolean;
  managerApiAuth?: 'none' | 'token';
  kubeletRootDir?: string;
  csiStateDir?: string;
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
  veleroPodCpuRequest?: string;
  veleroPodMemRequest?: string;
  veleroPodCpuLimit?: string;
  veleroPodMemLimit?: string;
  nodeAgentPodCpuRequest?: string;
  nodeAgentPodMemRequest?: string;
  nodeAgentPodCpuLimit?: string;
  nodeAgentPodMemLimit?: string;
  nodeAgentConfigmap?: string;
  repoMaintenanceJobConfigmap?: string;
  backupRepositoryConfigmap?: string;
  defaultRepoMaintainFrequency?: string;
  uploaderType?: string;
  serviceAccountName?: string;
  saAnnotations?: string;
  podAnnotations?: string;
  podLabels?: string;
  crdsOnly?: boolean;
  resetSettings?: boolean;
  takeOver?: boolean;
  confirm?: boolean;
  force?: boolean;
  dryRun?: boolean;
  output?: string;
  showSecrets?: boolean;
  wait?: boolean;
  timeout: string;
  [other: string]: unknown;
}

/** Adds every flag of Velero's `install` (cli.md section 13) and ours. */
export function addInstallFlags(command: Command): Command {
  addLocationFlags(command.optionsGroup('Default location:'));
  addProgramFlags(command.optionsGroup('Programs and their settings:'));
  addBackupFlags(command.optionsGroup('Backups:'));
  addDriverFlags(command.optionsGroup('Volumes:'));
  addPodFlags(command.optionsGroup('Pods and service accounts:'));
  addTakeOverFlags(command.optionsGroup('Taking over Velero:'));
  addRunFlags(command.optionsGroup('What this run does:'));
  addFlagsWithoutEffect(command);
  return command;
}

function addLocationFlags(command: Command): void {
  command
    .addOption(
      completedOption(
        '--provider <name>',
        'object store of the default location: aws (anything that speaks S3), azure, gcp, velero.io/fs',
        providerNames,
      ),
    )
    .option('--bucket <name>', 'bucket of the default location; it must exist')
    .option('--prefix <path>', 'folder inside the bucket')
    .option(
      '--backup-location-config <key=value,…>',
      'settings of the provider: region, s3Url, s3ForcePathStyle …',
      collectPairs,
    )
    .option('--cacert <file>', 'PEM file with the CA of the object store')
    .option('--no-default-backup-location', 'make no location; see "lateen backup-location create"')
    .option('--secret-file <file>', 'credentials of the object store; become Secret cloud-credentials')
    .option('--no-secret', 'make no Secret: the pods get their rights from the cloud');
  addSnapshotLocationFlags(command);
}

function addProgramFlags(command: Command): void {
  command.option(
    '--image <name>',
    'image of all pods (default: that of the installation that is there, else a local build)',
  );
  command.option(
    '--plugins <image,…>',
    'images with programs of plugins, written for Lateen or for Velero; these and no others (default: those that are there)',
    collectPairs,
  );
  addConfigMapFlags(command);
  command
    .option('--default-repo-maintain-frequency <duration>', 'how often to maintain each repository')
    .addOption(completedOption('--uploader-type <name>', 'kopia, the only one for new volumes', ['kopia']))
    .addOption(
      new Option('--log-level <level>', 'of controller and node-agent').choices(['debug', 'info', 'warn', 'error']),
    );
  withBooleanFlag(command, '--use-node-agent', 'install the node-agent DaemonSet, which moves volumes (default: true)');
  withBooleanFlag(
    command,
    '--use-pod-volumes',
    'back up and restore volumes of pods through the pods that mount them; false: refused, and no host path is needed (default: true)',
  );
  withBooleanFlag(
    command,
    '--node-agent-disable-host-path',
    'no host paths for data movers of pod volumes: only volumes of claims can be backed up and restored then (default: false)',
  );
}

function addDriverFlags(command: Command): void {
  command
    .addOption(
      new Option(
        '--volume-manager <which>',
        'volumes of our own: local, as files of one node, or replicated on several; what is there already stays (default: none)',
      ).choices(volumeManagers),
    )
    .option('--volume-manager-image <name>', 'image of the pods in which replicas run (default: a local build)');
  withBooleanFlag(
    command,
    '--privileged-managers',
    'managers of replicated volumes may mount backup targets on NFS servers, as root in a privileged container (default: false)',
  );
  command.addOption(
    new Option(
      '--manager-api-auth <how>',
      'who may use the REST API of replicated volumes: everybody who reaches it, or who has a token of the cluster (default: none)',
    ).choices(['none', 'token']),
  );
  withBooleanFlag(
    command,
    '--use-snapshot-metadata',
    'volumes of our own tell backup programs which blocks have changed; false: backups read whole volumes (default: true)',
  );
  withBooleanFlag(command, '--use-csi-driver', 'the same as --volume-manager=local, also beside replicated volumes');
  command
    .option('--csi-sidecar-image <name>', "image with the CSI drivers' sidecars")
    .option('--kubelet-root-dir <path>', "kubelet's root directory on the nodes, for pod volumes and CSI drivers")
    .option('--csi-state-dir <path>', 'where local volumes are kept on a node');
}

function addTakeOverFlags(command: Command): void {
  withBooleanFlag(
    command,
    '--take-over',
    'replace Velero in the namespace; its locations, Secrets, Schedules, Backups and repositories stay',
  );
  withBooleanFlag(command, '--confirm', 'with --take-over: do not ask');
  withBooleanFlag(
    command,
    '--force',
    'with --take-over: cancel what runs at once, and end what has not ended after --timeout',
  );
}

function addRunFlags(command: Command): void {
  withBooleanFlag(command, '--crds-only', 'only the CustomResourceDefinitions');
  withBooleanFlag(command, '--dry-run', 'change nothing; show what would be installed');
  command
    .addOption(
      completedOption(
        '-o, --output <format>',
        'print the objects as yaml or json and install nothing',
        manifestFormats,
      ),
    )
    .option('--show-secrets', 'with --output: print the Secret as it is');
  withBooleanFlag(command, '--wait', 'until everything runs and the default location is Available');
  command
    .option('--timeout <duration>', 'of --wait, for each object; of --take-over, for what runs', '3m')
    .option(
      '--reset-settings',
      'discard the settings of the last install: flags that are not given return to their defaults',
    );
  withBooleanFlag(command, '--apply', 'accepted for compatibility: existing objects are always updated');
}

function addPodFlags(command: Command): void {
  const pods = [
    ['velero', 'controller'],
    ['node-agent', 'node-agent'],
  ] as const;
  for (const [flag, what] of pods)
    command
      .option(`--${flag}-pod-cpu-request <quantity>`, `of the ${what}; 0 asks for none`)
      .option(`--${flag}-pod-mem-request <quantity>`, `of the ${what}; 0 asks for none`)
      .option(`--${flag}-pod-cpu-limit <quantity>`, `of the ${what}; 0 sets none`)
      .option(`--${flag}-pod-mem-limit <quantity>`, `of the ${what}; 0 sets none`);
  command
    .addOption(
      completedOption(
        '--service-account-name <name>',
        'service account that is there, instead of our own',
        serviceAccountNames,
      ),
    )
    .option('--sa-annotations <key=value,…>', 'on our service accounts, for a role of a cloud', collectPairs)
    .option('--pod-annotations <key=value,…>', 'on the pods of controller and node-agent', collectPairs)
    .option('--pod-labels <key=value,…>', 'on the pods of controller and node-agent', collectPairs);
}

function addConfigMapFlags(command: Command): void {
  const flags = [
    ['--node-agent-configmap', 'ConfigMap with settings for the node-agents; must be there'],
    ['--repo-maintenance-job-configmap', 'ConfigMap with settings for maintenance jobs'],
    ['--backup-repository-configmap', 'ConfigMap with settings for backup repositories'],
  ] as const;
  for (const [flag, about] of flags) command.addOption(completedOption(`${flag} <name>`, about, configMapNames));
}
