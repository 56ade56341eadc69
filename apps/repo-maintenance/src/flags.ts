import type { LogFormat, LogLevel } from '@lateen/kernel';
import type { RepositoryOperation } from '@lateen/maintenance';
import { commonFlags, flagRules } from '@lateen/process';
import { type MaintenanceMode, maintenanceModes } from '@lateen/repository/operations';

/** What `repo-maintenance` was asked to do. */
export type Command = { kind: 'help' } | ({ kind: 'run' } & TaskFlags);

export interface TaskFlags {
  operation: RepositoryOperation;
  /** Name of the BackupRepository. */
  repositoryName: string;
  /** Of `maintain`; auto: whichever is due. */
  mode: MaintenanceMode | 'auto';
  /** Of `check` and `verify`. */
  readDataPercent: number;
  /** Of `change-password`: the key in the Secret with the repository password. */
  newPasswordKey?: string;
  /** Of `forget`: names of ConfigMaps. */
  requests: readonly string[];
  /** Of `verify`. */
  snapshotID?: string;
  /** Of `verify`: the block device that the snapshot is compared with. */
  volumePath?: string;
  /** Reports as JSON lines on standard output, or sentences for people. */
  output: 'json' | 'text';
  logLevel: LogLevel;
  logFormat: LogFormat;
}

export const helpText = `repo-maintenance does one task with one backup repository.

It is the command of Jobs that the controller or lateen repo makes, runs with their service account, and tells its result in
its log and in its termination message.

Usage:
  repo-maintenance maintain        --repo-name NAME [--mode auto|quick|full]
  repo-maintenance check           --repo-name NAME [--read-data-percent PERCENT]
  repo-maintenance usage           --repo-name NAME
  repo-maintenance unlock          --repo-name NAME
  repo-maintenance change-password --repo-name NAME --new-password-key KEY
  repo-maintenance forget          --repo-name NAME --requests NAME,…
  repo-maintenance verify          --repo-name NAME --snapshot-id ID [--read-data-percent PERCENT] [--volume-path PATH]

Flags:
  --repo-name NAME             the BackupRepository, in the namespace VELERO_NAMESPACE
  --mode MODE                  which cycle of maintenance; auto runs the one that is due (default auto)
  --read-data-percent PERCENT  how much of the stored data is read; 0 looks at the structure only (default 0)
  --new-password-key KEY       where the new password is in Secret velero-repo-credentials
  --requests NAME,…            ConfigMaps that list the snapshots to be forgotten
  --snapshot-id ID             the snapshot that is verified
  --volume-path PATH           the block device with whose bytes the snapshot is compared
  --output FORMAT              json: one report a line; text: for people (default text)
  --log-level LEVEL            debug, info, warn or error (default info)
  --log-format FORMAT          text or json (default text)
  --help                       this text

Environment: VELERO_NAMESPACE, VELERO_SCRATCH_DIR, LATEEN_JOB_NAME (whose lock it needs), and the service account that Kubernetes mounts.
Exit code: 0 when the task is done and nothing is damaged, 1 when it failed, 2 for wrong flags, 3 when a check or verification found damage.
`;

const options = {
  'repo-name': { type: 'string' },
  mode: { type: 'string' },
  'read-data-percent': { type: 'string' },
  'new-password-key': { type: 'string' },
  requests: { type: 'string' },
  'snapshot-id': { type: 'string' },
  'volume-path': { type: 'string' },
  output: { type: 'string', short: 'o' },
  ...commonFlags,
} as const;

const commands = {
  maintain: ['mode'],
  check: ['read-data-percent'],
  usage: [],
  unlock: [],
  'change-password': ['new-password-key'],
  forget: ['requests'],
  verify: ['snapshot-id', 'read-data-percent', 'volume-path'],
} as const satisfies Record<RepositoryOperation, readonly (keyof typeof options)[]>;

const { usage, read, required, oneOf, logOf } = flagRules('repo-maintenance');

/** @throws USAGE naming the flag */
export function parseFlags(argv: readonly string[]): Command {
  const line = read(argv, options, commands);
  if (line === undefined) return { kind: 'help' };
  const { command: operation, values } = line;
  const repositoryName = required('repo-name', values['repo-name']);
  const newPasswordKey = values['new-password-key'];
  const volumePath = values['volume-path'];
  return {
    kind: 'run',
    operation,
    repositoryName,
    mode: oneOf('mode', values.mode ?? 'auto', ['auto', ...maintenanceModes]),
    readDataPercent: percentOf(values['read-data-percent'] ?? '0'),
    ...(operation === 'change-password' ? { newPasswordKey: required('new-password-key', newPasswordKey) } : {}),
    requests: operation === 'forget' ? required('requests', values.requests).split(',') : [],
    ...(operation === 'verify' ? { snapshotID: required('snapshot-id', values['snapshot-id']) } : {}),
    ...(volumePath === undefined ? {} : { volumePath }),
    output: oneOf('output', values.output ?? 'text', ['json', 'text']),
    ...logOf(values),
  };
}

function percentOf(text: string): number {
  const percent = Number(text);
  if (text.trim() !== '' && percent >= 0 && percent <= 100) return percent;
  throw usage(`--read-data-percent "${text}" is not a number from 0 to 100`);
}
