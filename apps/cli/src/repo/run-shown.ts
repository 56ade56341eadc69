import type { BackupRepository } from '@lateen/api-types';
import type { RepositoryTask } from '@lateen/maintenance';
import { runTask, type TaskPorts, type TaskResult } from '@lateen/operations/repository';
import type { CommandContext } from '../command-context.ts';
import { taskView } from './task-view.ts';

/** {@link runTask}, with a line on stderr that shows its progress. */
export async function runShown<T extends RepositoryTask>(
  context: CommandContext,
  ports: TaskPorts,
  repository: BackupRepository,
  task: T,
): Promise<TaskResult<T>> {
  const view = taskView(context.stderr, context.clock, repository.metadata.name ?? '');
  try {
    return await runTask(ports, repository, task, view, context.signal);
  } finally {
    view.end();
  }
}
