import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { sendable } from './sent-error.ts';
import type { CloseMessage, ResultMessage, TaskMessage } from './worker-messages.ts';

/** What the program of a worker does. */
export interface ServedTasks<Task, Result> {
  /** Does one task. What it returns or throws goes to whoever called `run` of the pool. */
  run(task: Task): Result | Promise<Result>;
  /**
   * Ends what would keep the thread alive or outlive it: children, open files. Called once, when all tasks have settled;
   * the thread ends when nothing is left in its event loop.
   */
  close?(): void | Promise<void>;
}

/**
 * The worker's side of a pool, called once by its program: `start` is given the pool's `data` and returns what does the
 * tasks. A program whose `run` returns a promise may be given its next task before that has settled. When `start` fails, every
 * task fails with its error. In a process of its own a program of workers does nothing, and ends: the image is built with
 * code that has been compiled that way.
 */
export function serveTasks<Data, Task, Result>(
  start: (data: Data) => ServedTasks<Task, Result> | Promise<ServedTasks<Task, Result>>,
): void {
  const port = parentPort;
  if (port === null) return;
  const served = (async () => start(workerData as Data))();
  // Told with the first task.
  served.catch(() => {});
  const underWay = new Set<Promise<void>>();
  port.on('messageerror', (error) => {
    // Nothing catches it: the thread ends, and its tasks fail.
    throw error;
  });
  port.on('message', (message: TaskMessage | CloseMessage) => {
    if ('close' in message) {
      void Promise.all(underWay).then(() => closed(port, served));
      return;
    }
    const done = answered(port, served as Promise<ServedTasks<unknown, unknown>>, message);
    underWay.add(done);
    // A failure is one that nothing catches: the thread ends.
    void done.then(() => underWay.delete(done));
  });
}

async function answered(
  port: MessagePort,
  served: Promise<ServedTasks<unknown, unknown>>,
  { id, task }: TaskMessage,
): Promise<void> {
  const failed = (error: unknown): ResultMessage => ({ id, cpuMs: threadCpuMs(), error: sendable(error) });
  const answer = async (): Promise<ResultMessage> => {
    const result = await (await served).run(task);
    return { id, cpuMs: threadCpuMs(), result };
  };
  const message = await answer().catch(failed);
  try {
    port.postMessage(message);
  } catch (error) {
    port.postMessage(failed(error));
  }
}

/** Nobody listens any more after it, so the thread ends by itself. */
async function closed(port: MessagePort, served: Promise<Pick<ServedTasks<never, unknown>, 'close'>>): Promise<void> {
  try {
    await (await served.catch(() => undefined))?.close?.();
  } catch (error) {
    port.postMessage({ closeError: sendable(error) } satisfies ResultMessage);
  } finally {
    port.close();
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
