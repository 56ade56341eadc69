import type { MaintenanceMode } from '@lateen/repository/operations';

/** The sub-commands of `repo-maintenance`. */
export const repositoryOperations = [
  'maintain',
  'check',
  'usage',
  'unlock',
  'change-password',
  'forget',
  'verify',
] as const;
export type RepositoryOperation = (typeof repositoryOperations)[number];

/** What a Job shall do with a repository. */
export type RepositoryTask =
  /** `auto`: quick or full, whichever is due by the engine's own schedule. */
  | { operation: 'maintain'; mode: MaintenanceMode | 'auto' }
  | { operation: 'check'; readDataPercent: number }
  | { operation: 'usage' }
  | { operation: 'unlock' }
  /**
   * Under which key the new password is in the Secret with the present one. The Job reads it there: what stands in a
   * container's environment is written to the node's disk, by containerd into its database.
   */
  | { operation: 'change-password'; newPasswordKey: string }
  /** Names of ConfigMaps with the snapshots; see `forgetRequest`. They may be more than the arguments of a Job hold. */
  | { operation: 'forget'; requests: readonly string[] }
  /** `isCompared`: with the volume of a claim that has the name of the Job; the creator of the Job creates the claim. */
  | { operation: 'verify'; snapshotID: string; readDataPercent: number; isCompared: boolean };

/** Where the volume is in the pod that a snapshot is compared with. */
export const comparedVolumePath = '/dev/compared-volume';

/** The arguments after `repo-maintenance`, without the log flags. No secret is among them. */
export function taskArguments(task: RepositoryTask, repositoryName: string): string[] {
  return [task.operation, `--repo-name=${repositoryName}`, ...flagsOf(task), '--output=json'];
}

function flagsOf(task: RepositoryTask): string[] {
  switch (task.operation) {
    case 'maintain':
      return [`--mode=${task.mode}`];
    case 'check':
      return [`--read-data-percent=${task.readDataPercent}`];
    case 'change-password':
      return [`--new-password-key=${task.newPasswordKey}`];
    case 'forget':
      return [`--requests=${task.requests.join(',')}`];
    case 'verify': {
      const compared = task.isCompared ? [`--volume-path=${comparedVolumePath}`] : [];
      return [`--snapshot-id=${task.snapshotID}`, `--read-data-percent=${task.readDataPercent}`, ...compared];
    }
    case 'usage':
    case 'unlock':
      return [];
    default:
      return task satisfies never;
  }
}
