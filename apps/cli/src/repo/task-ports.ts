import { AppError } from '@lateen/errors';
import type { TaskPorts } from '@lateen/operations/repository';
import type { CommandContext, GlobalOptions } from '../command-context.ts';

/** The ports for tasks on repositories, from a command's context. */
export async function taskPorts(context: CommandContext, global: GlobalOptions): Promise<TaskPorts> {
  const { clock, random } = context;
  const kube = await context.connect(global);
  return { kube, logs: { stream: (pod, options) => kube.stream?.(pod, options) ?? noLog() }, clock, random };
}

/** Where no logs can be had there is no progress; results come by the pod's termination message. */
// biome-ignore lint/correctness/useYield: nothing comes
async function* noLog(): AsyncGenerator<Uint8Array> {
  throw new AppError('NO_POD_LOGS', 'logs of pods cannot be read over this connection');
}
