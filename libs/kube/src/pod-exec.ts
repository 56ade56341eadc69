import type { Readable, Writable } from 'node:stream';
import type { ObjectKey } from './kube-object.ts';

export interface ExecOptions {
  stdin?: Readable;
  /** Written to and ended. Without one, the output is dropped. */
  stdout?: Writable;
  stderr?: Writable;
  /** Ends the connection; the command itself may go on (the protocol has no way to end it). */
  signal?: AbortSignal;
}

export interface PodExec {
  /**
   * Runs a command in a container and resolves with its exit code.
   *
   * There is no back-pressure: what the command writes while `stdout` is slow is held in memory, and `stdin` is sent as
   * fast as it can be read. Right for commands and small files; bulk data belongs into a pod with the volume mounted.
   * @throws KUBE_EXEC_FAILED when the command could not be started or the connection was interrupted. Its fate is `soon` only when
   *   nothing has been started and the same call may succeed in a moment; `details.httpStatus` is 404 when there is no such pod
   */
  exec(
    pod: ObjectKey,
    container: string,
    command: readonly string[],
    options?: ExecOptions,
  ): Promise<{ exitCode: number }>;
}
