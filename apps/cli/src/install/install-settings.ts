import type { BackupStorageLocationSpec, VolumeSnapshotLocationSpec } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { everyPart, type ManifestPart, type PluginImage, pluginOf, type RenderOptions } from '@lateen/manifests';
import { placeOf } from '../backup-location/new-location.ts';
import type { ConfigFlag } from '../backup-location/parse-config.ts';
import { parseDuration } from '../parse-duration.ts';
import { parseKeyValues } from '../parse-key-values.ts';
import { backupArguments } from './backup-flags.ts';
import type { InstallFlags } from './install-flags.ts';
import { podResources } from './pod-resources.ts';
import { snapshotLocationOf } from './snapshot-location.ts';

/** The settings of a command line; its files are not read yet. */
export interface InstallSettings {
  render: RenderOptions;
  /** Absent: no location is created, and an existing one is not changed. The caller reads `caCert` from the file. */
  location?: { spec: BackupStorageLocationSpec; caFile: string | undefined };
  /** The location of native snapshots. Absent: none is created, and an existing one is not changed. */
  snapshotLocation?: VolumeSnapshotLocationSpec;
  /** Absent: no Secret is created, and an existing one is not changed. */
  secretFile?: string;
  /** Flags that a first installation requires; a later one keeps the existing values. In Velero's words. */
  missing: string[];
}

/** @throws AppError BAD_FLAG in the words of Velero where it has any (cli.md section 13), LOCATION_INVALID */
export function installSettings(flags: InstallFlags, namespace: string): InstallSettings {
  checkLocationFlags(flags);
  checkPodVolumes(flags);
  checkVolumeManager(flags);
  const { podAnnotations, podLabels, saAnnotations, serviceAccountName, secretFile } = flags;
  if (serviceAccountName !== undefined && saAnnotations !== undefined)
    throw new AppError(
      'BAD_FLAG',
      '--sa-annotations is for our own service accounts, and --service-account-name replaces them',
      {
        nextStep: 'Annotate the account yourself.',
      },
    );
  if (flags.uploaderType !== undefined && flags.uploaderType !== 'kopia')
    throw new AppError('BAD_FLAG', `--uploader-type "${flags.uploaderType}" is not an uploader of new volumes`, {
      nextStep: 'Use kopia; a single movement chooses restic with dataMoverConfig.UploaderType.',
    });
  const render: RenderOptions = {
    namespace,
    parts: partsOf(flags),
    extraArgs: argumentsOf(flags),
    resources: podResources(flags),
    nodes: nodesOf(flags),
    ...(flags.usePodVolumes === undefined ? {} : { podVolumes: flags.usePodVolumes }),
    ...(flags.nodeAgentDisableHostPath === undefined ? {} : { hostPaths: !flags.nodeAgentDisableHostPath }),
    ...(flags.image === undefined ? {} : { image: checkedImage('--image', flags.image) }),
    ...(flags.plugins === undefined ? {} : { plugins: pluginsOfFlag(flags.plugins) }),
    ...(flags.csiSidecarImage === undefined
      ? {}
      : { sidecarImage: checkedImage('--csi-sidecar-image', flags.csiSidecarImage) }),
    ...(flags.volumeManagerImage === undefined
      ? {}
      : { storageImage: checkedImage('--volume-manager-image', flags.volumeManagerImage) }),
    ...(flags.useSnapshotMetadata === undefined ? {} : { snapshotMetadata: flags.useSnapshotMetadata }),
    ...(flags.privilegedManagers === undefined ? {} : { privilegedManagers: flags.privilegedManagers }),
    ...(flags.logLevel === undefined ? {} : { logLevel: flags.logLevel }),
    ...(serviceAccountName === undefined ? {} : { serviceAccountName }),
    ...(saAnnotations === undefined
      ? {}
      : { serviceAccountAnnotations: parseKeyValues('--sa-annotations', saAnnotations) }),
    ...(podAnnotations === undefined ? {} : { podAnnotations: parseKeyValues('--pod-annotations', podAnnotations) }),
    ...(podLabels === undefined ? {} : { podLabels: parseKeyValues('--pod-labels', podLabels) }),
  };
  if (flags.crdsOnly === true) return { render, missing: [] };
  const location = locationOf(flags);
  const snapshotLocation = snapshotLocationOf(flags);
  return {
    render,
    ...(location === undefined ? {} : { location }),
    ...(snapshotLocation === undefined ? {} : { snapshotLocation }),
    ...(secretFile === undefined ? {} : { secretFile }),
    missing: missingIn(flags),
  };
}

function checkLocationFlags(flags: InstallFlags): void {
  const { bucket, prefix, backupLocationConfig, cacert, secretFile } = flags;
  if (secretFile !== undefined && !flags.secret)
    throw new AppError('BAD_FLAG', 'Cannot use both --secret-file and --no-secret');
  if (flags.defaultBackupLocation) return;
  const given = {
    '--bucket': bucket,
    '--prefix': prefix,
    '--backup-location-config': backupLocationConfig,
    '--cacert': cacert,
  };
  for (const [flag, value] of Object.entries(given))
    if (value !== undefined)
      throw new AppError('BAD_FLAG', `Cannot use both ${flag} and --no-default-backup-location at the same time`);
}

/** Stored settings are words or booleans. */
function checkPodVolumes({ defaultVolumesToFsBackup, useNodeAgent, usePodVolumes }: InstallFlags): void {
  if (String(defaultVolumesToFsBackup) !== 'true') return;
  const refused = { '--use-node-agent': useNodeAgent, '--use-pod-volumes': usePodVolumes };
  for (const [flag, value] of Object.entries(refused))
    if (value === false)
      throw new AppError('BAD_FLAG', `${flag} is required when using --default-volumes-to-fs-backup`);
}

function missingIn({ provider, bucket, secret, secretFile, defaultBackupLocation }: InstallFlags): string[] {
  return [
    ...(defaultBackupLocation && !provider ? ['--provider is required'] : []),
    ...(defaultBackupLocation && !bucket ? ['--bucket is required'] : []),
    ...(secret && secretFile === undefined ? ['One of --secret-file or --no-secret is required'] : []),
  ];
}

const configFlag: ConfigFlag = {
  name: '--backup-location-config',
  secrets: 'Put it into the file of --secret-file.',
};

function locationOf(flags: InstallFlags): InstallSettings['location'] | undefined {
  const { provider, bucket, prefix, backupLocationConfig, cacert } = flags;
  const part = [provider, bucket, prefix, backupLocationConfig, cacert].some((value) => value !== undefined);
  if (!part || !flags.defaultBackupLocation) return undefined;
  const place = placeOf({ provider, bucket, prefix, config: backupLocationConfig }, configFlag);
  return { spec: { ...place, default: true }, caFile: cacert };
}

/** Parts that are definitions and nothing else. */
const definitions: ReadonlySet<ManifestPart> = new Set(['crds', 'crds-storage', 'snapshot-metadata']);

function partsOf(flags: InstallFlags): ManifestPart[] {
  const { crdsOnly, useNodeAgent = true, useCsiDriver, volumeManager, useSnapshotMetadata = true } = flags;
  const isReplicated = volumeManager === 'replicated';
  const isLocal = useCsiDriver ?? volumeManager === 'local';
  const optional: Partial<Record<ManifestPart, boolean>> = {
    'node-agent': useNodeAgent,
    csi: isLocal,
    'snapshot-metadata': useSnapshotMetadata && (isLocal || isReplicated),
    'crds-storage': isReplicated,
    'volume-manager': isReplicated,
  };
  const wanted = everyPart.filter((part) => optional[part] ?? true);
  return crdsOnly === true ? wanted.filter((part) => definitions.has(part)) : wanted;
}

function checkVolumeManager({ useCsiDriver, volumeManager }: InstallFlags): void {
  if (volumeManager === 'local' && useCsiDriver === false)
    throw new AppError('BAD_FLAG', 'Cannot use both --volume-manager=local and --use-csi-driver=false');
}

function argumentsOf(flags: InstallFlags): NonNullable<RenderOptions['extraArgs']> {
  const { nodeAgentConfigmap, repoMaintenanceJobConfigmap, backupRepositoryConfigmap } = flags;
  const argument = (flag: string, value: string | undefined): string[] => (value ? [`--${flag}=${value}`] : []);
  const frequency = flags.defaultRepoMaintainFrequency;
  if (frequency !== undefined) parseDuration('--default-repo-maintain-frequency', frequency);
  const ofRepositories = argument('backup-repository-configmap', backupRepositoryConfigmap);
  return {
    'lateen-controller': [
      ...ofRepositories,
      ...argument('repo-maintenance-job-configmap', repoMaintenanceJobConfigmap),
      ...argument('default-repo-maintain-frequency', frequency),
      ...backupArguments(flags),
    ],
    'node-agent': [...argument('node-agent-configmap', nodeAgentConfigmap), ...ofRepositories],
    // A default value is not passed as an argument, so that no argument is left when a setting is withdrawn.
    manager: flags.managerApiAuth === 'token' ? ['--api-auth=token'] : [],
  };
}

function nodesOf({ kubeletRootDir, csiStateDir }: InstallFlags): NonNullable<RenderOptions['nodes']> {
  if (kubeletRootDir === undefined && csiStateDir === undefined) return [];
  const kubeletDir = checkedPath('--kubelet-root-dir', kubeletRootDir ?? '/var/lib/kubelet');
  return [
    { name: 'any', kubeletDir, csiStateDir: checkedPath('--csi-state-dir', csiStateDir ?? '/var/lib/lateen-csi') },
  ];
}

/** An empty text means no plugins. */
function pluginsOfFlag(text: string): PluginImage[] {
  if (text.trim() === '') return [];
  const plugins = text.split(',').map((image) => pluginOf(checkedImage('--plugins', image.trim())));
  for (const [at, { name, image }] of plugins.entries()) {
    const other = plugins.slice(0, at).find((each) => each.name === name);
    if (other !== undefined)
      throw new AppError('BAD_FLAG', `--plugins names ${other.image} and ${image}, which are the same plugin ${name}`);
  }
  return plugins;
}

export function checkedImage(flag: string, image: string): string {
  if (/^[^\s:@][^\s]*$/.test(image)) return image;
  throw new AppError('BAD_FLAG', `${flag} "${image}" is not the name of an image`);
}

function checkedPath(flag: string, path: string): string {
  if (path.startsWith('/') && !path.split('/').includes('..')) return path.replace(/\/+$/, '') || '/';
  throw new AppError('BAD_FLAG', `${flag} "${path}" is not an absolute path`);
}
