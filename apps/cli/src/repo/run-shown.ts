import type { BackupRepository } from '@lateen/api-types';
import type { RepositoryTask } from '@lateen/maintenance';
import { runTask, type TaskEvents, type TaskPorts, type TaskResult } from '@lateen/operations/repository';
import type { CommandContext } from '../command-context.ts';
import { taskView } from './task-view.ts';

/** {@link runTask}, with a line on stderr that shows its progress, with `label` (default: the repository) in front. */
export async function runShown<T extends RepositoryTask>(
  context: CommandContext,
  ports: TaskPorts,
  repository: BackupRepository,
  task: T,
  { label = repository.metadata.name ?? '', ...more }: { label?: string } & Pick<TaskEvents, 'onCreated'> = {},
): Promise<TaskResult<T>> {
  const view = taskView(context.stderr, context.clock, label);
  try {
    return await runTask(ports, repository, task, { ...view, ...more }, context.signal);
  } finally {
    view.end();
  }
}
