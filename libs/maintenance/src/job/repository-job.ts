import type { MaintenanceMode } from '@lateen/repository/operations';

/** The sub-commands of `repo-maintenance`. */
export const repositoryOperations = ['maintain', 'check', 'usage', 'unlock', 'change-password'] as const;
export type RepositoryOperation = (typeof repositoryOperations)[number];

/** What a Job shall do with a repository. */
export type RepositoryTask =
  /** `auto`: quick or full, whichever is due by the engine's own schedule. */
  | { operation: 'maintain'; mode: MaintenanceMode | 'auto' }
  | { operation: 'check'; readDataPercent: number }
  | { operation: 'usage' }
  | { operation: 'unlock' }
  /** The Secret must be in the namespace of the installation; its value reaches the Job as a variable only. */
  | { operation: 'change-password'; newPassword: { secretName: string; key: string } };

/** The variable in which `repo-maintenance change-password` finds the new password. */
export const newPasswordVariable = 'LATEEN_NEW_REPOSITORY_PASSWORD';

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
    case 'usage':
    case 'unlock':
    case 'change-password':
      return [];
    default:
      return task satisfies never;
  }
}
