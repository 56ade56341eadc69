import { type LogFormat, type LogLevel, parseDurationMs } from '@lateen/kernel';
import type { DataPathTask } from '@lateen/mover';
import { commonFlags, flagRules } from '@lateen/process';

/** What `data-mover` was asked to do. */
export type Command =
  | { kind: 'help' }
  | ({ kind: 'run' } & DataPathFlags)
  | { kind: 'restore-wait'; restoreUid: string };

export interface DataPathFlags extends DataPathTask {
  logLevel: LogLevel;
  logFormat: LogFormat;
  /** Where kopia's cache goes (restore only). */
  cacheVolumePath: string | undefined;
  /** For asking which blocks have changed; absent when everything is read (docs/adr/0082). */
  changes?: ChangesFlags;
}

/** Whose changes are asked for, and as whom. What node-agent could not find out is undefined. */
export interface ChangesFlags {
  /** The service account whose token is shown, in the namespace of this pod. */
  serviceAccount: string;
  /** The VolumeSnapshot that is read, there. */
  snapshot: string;
  /** What the driver calls the volume that was snapshotted. */
  volumeHandle: string | undefined;
  /** Of the claim that was snapshotted. */
  claimUid: string | undefined;
}

export const helpText = `data-mover runs one data path to its end: it moves a volume to or from a backup repository.

It is the command of backup and restore pods, started by node-agent, and reports by Events and by its
termination message. The data path starts when the custom resource is InProgress.

Usage:
  data-mover backup  --volume-path PATH --volume-mode MODE --data-upload NAME   --resource-timeout DURATION
  data-mover restore --volume-path PATH --volume-mode MODE --data-download NAME --resource-timeout DURATION
  data-mover pod-volume backup  --volume-path PATH --pod-volume-backup NAME  --resource-timeout DURATION
  data-mover pod-volume restore --volume-path PATH --pod-volume-restore NAME --resource-timeout DURATION
  data-mover restore-wait RESTORE_UID

pod-volume moves the volume of a pod, which is always of files. When a restored one has its data, it leaves the file
.velero/RESTORE_UID in it for the pod that waits; RESTORE_UID is that of the first owner of the PodVolumeRestore.

restore-wait is the first init container of a restored pod: it ends when each volume under /restores holds the file
.velero/RESTORE_UID, and takes that directory away. It needs no environment and no service account. Annotations of the
pod are in /restore-wait: start-without-data ends it at once, volumes-restored tells of marks that it cannot see.

Flags:
  --volume-path PATH          the volume, as mounted in this pod
  --volume-mode MODE          Filesystem or Block
  --data-upload NAME          the DataUpload this backup is for
  --data-download NAME        the DataDownload this restore is for
  --pod-volume-backup NAME    the PodVolumeBackup this backup is for
  --pod-volume-restore NAME   the PodVolumeRestore this restore is for
  --resource-timeout DURATION longest wait for a Kubernetes object, for example 10m0s
  --cache-volume-path PATH    directory for the engine's cache (restore)
  --cbt-sa-name NAME          service account whose token asks for changed blocks; without it everything is read (backup)
  --snapshot-id NAME          the VolumeSnapshot that is read, in the namespace of this pod (with --cbt-sa-name)
  --volume-id HANDLE          what the driver calls the volume of that snapshot (with --cbt-sa-name)
  --claim-uid UID             of the PersistentVolumeClaim of that volume (with --cbt-sa-name)
  --log-level LEVEL           debug, info, warn or error (default info)
  --log-format FORMAT         text or json (default text)
  --help                      this text

Environment: VELERO_NAMESPACE, NODE_NAME, VELERO_SCRATCH_DIR, and the service account that Kubernetes mounts.
Exit code: 0 when the data is moved, 1 when it is not (the termination message says why), 2 for wrong flags.
`;

const commonOptions = {
  'volume-path': { type: 'string' },
  'resource-timeout': { type: 'string' },
  'cache-volume-path': { type: 'string' },
  ...commonFlags,
} as const;

const dataOptions = {
  ...commonOptions,
  'volume-mode': { type: 'string' },
  'data-upload': { type: 'string' },
  'data-download': { type: 'string' },
  'cbt-sa-name': { type: 'string' },
  'snapshot-id': { type: 'string' },
  'volume-id': { type: 'string' },
  'claim-uid': { type: 'string' },
} as const;

/** What only a backup asks for. */
const changesOptions = ['cbt-sa-name', 'snapshot-id', 'volume-id', 'claim-uid'] as const;

const podVolumeOptions = {
  ...commonOptions,
  'pod-volume-backup': { type: 'string' },
  'pod-volume-restore': { type: 'string' },
} as const;

const { usage, read, required, oneOf, logOf } = flagRules('data-mover');

/** The flags of data-movement.md section 4. @throws USAGE naming the flag */
export function parseFlags(argv: readonly string[]): Command {
  if (argv[0] === 'restore-wait') return parseRestoreWait(argv.slice(1));
  if (argv[0] === 'pod-volume') return parsePodVolume(argv.slice(1));
  const line = read(argv, dataOptions, {
    backup: ['data-upload', ...changesOptions],
    restore: ['data-download'],
  });
  if (line === undefined) return { kind: 'help' };
  const { command, values } = line;
  const dataPath = command === 'backup' ? 'data-upload' : 'data-download';
  return {
    kind: 'run',
    dataPath,
    ...common(values),
    volumeMode: oneOf('volume-mode', required('volume-mode', values['volume-mode']), ['Filesystem', 'Block']),
    name: required(dataPath, values[dataPath]),
    ...changesIn(values),
  };
}

function changesIn(values: { [name in (typeof changesOptions)[number]]?: string }): { changes?: ChangesFlags } {
  const serviceAccount = values['cbt-sa-name'];
  if (serviceAccount === undefined || serviceAccount === '') return {};
  const changes = {
    serviceAccount,
    snapshot: required('snapshot-id', values['snapshot-id']),
    volumeHandle: values['volume-id'] || undefined,
    claimUid: values['claim-uid'] || undefined,
  };
  return { changes };
}

/** A pod volume is never a block device: block volumes are not backed up through pods. */
function parsePodVolume(argv: readonly string[]): Command {
  const line = read(argv, podVolumeOptions, { backup: ['pod-volume-backup'], restore: ['pod-volume-restore'] });
  if (line === undefined) return { kind: 'help' };
  const { command, values } = line;
  const dataPath = `pod-volume-${command}` as const;
  const name = required(dataPath, values[dataPath]);
  return { kind: 'run', dataPath, ...common(values), volumeMode: 'Filesystem', name };
}

interface CommonValues {
  'volume-path'?: string;
  'resource-timeout'?: string;
  'cache-volume-path'?: string;
  'log-level'?: string;
  'log-format'?: string;
}

function common(values: CommonValues): Omit<DataPathFlags, 'dataPath' | 'volumeMode' | 'name'> {
  const volumePath = required('volume-path', values['volume-path']);
  if (!volumePath.startsWith('/')) throw usage(`--volume-path "${volumePath}" is not an absolute path`);
  const timeout = required('resource-timeout', values['resource-timeout']);
  const resourceTimeoutMs = parseDurationMs(timeout);
  if (resourceTimeoutMs === undefined || resourceTimeoutMs <= 0) {
    throw usage(`--resource-timeout "${timeout}" is not a duration above zero, such as 10m0s`);
  }
  return {
    volumePath,
    resourceTimeoutMs,
    ...logOf(values),
    cacheVolumePath: values['cache-volume-path'] || undefined,
  };
}

/** Takes the same one argument as Velero's waiter; it becomes a part of a path. */
function parseRestoreWait([restoreUid = '', unexpected]: readonly string[]): Command {
  if (['--help', '-h'].includes(restoreUid)) return { kind: 'help' };
  if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(restoreUid)) throw usage(`"${restoreUid}" is not the uid of a Restore`);
  if (unexpected !== undefined) throw usage(`unexpected argument "${unexpected}"`);
  return { kind: 'restore-wait', restoreUid };
}
