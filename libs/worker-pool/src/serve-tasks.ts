import { parentPort, workerData } from 'node:worker_threads';
import { sendable } from './sent-error.ts';
import type { ResultMessage, TaskMessage } from './worker-messages.ts';

/** Does one task. What it returns or throws goes to whoever called `run`. */
export type TaskHandler<Task, Result> = (task: Task) => Result | Promise<Result>;

/**
 * The worker's side of a pool, called once by its program: `start` is given the pool's `data` and returns what does the
 * tasks. A handler that returns a promise may be given its next task before that has settled. When `start` fails, every
 * task fails with its error. In a process of its own a program of workers does nothing, and ends: the image is built with
 * code that has been compiled that way.
 */
export function serveTasks<Data, Task, Result>(
  start: (data: Data) => TaskHandler<Task, Result> | Promise<TaskHandler<Task, Result>>,
): void {
  const port = parentPort;
  if (port === null) return;
  const handler = (async () => start(workerData as Data))();
  // Told with the first task.
  handler.catch(() => {});
  const answer = async ({ id, task }: TaskMessage): Promise<ResultMessage> => {
    try {
      const result = await (await handler)(task as Task);
      return { id, cpuMs: threadCpuMs(), result };
    } catch (error) {
      return { id, cpuMs: threadCpuMs(), error: sendable(error) };
    }
  };
  port.on('messageerror', (error) => {
    // Nothing catches it: the thread ends, and its tasks fail.
    throw error;
  });
  port.on('message', async (message: TaskMessage) => {
    const answered = await answer(message);
    try {
      port.postMessage(answered);
    } catch (error) {
      port.postMessage({ id: message.id, cpuMs: threadCpuMs(), error: sendable(error) } satisfies ResultMessage);
    }
  });
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
