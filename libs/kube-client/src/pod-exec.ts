import { type Readable, Writable } from 'node:stream';
import { AppError } from '@lateen/errors';
import type { ObjectKey } from '@lateen/kube';
import { keyText } from '@lateen/kube';
import { clientNodeConfig } from './client-node-config.ts';
import type { ClusterConfig } from './load-kube-config.ts';

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
   * @throws KUBE_EXEC_FAILED when the command could not be started or the connection broke off
   */
  exec(
    pod: ObjectKey,
    container: string,
    command: readonly string[],
    options?: ExecOptions,
  ): Promise<{ exitCode: number }>;
}

/** What we use of the WebSocket, whose own types come with another package. */
interface ExecSocket {
  onerror: (event: { message: string; error: unknown }) => void;
  onclose: () => void;
  close(): void;
}

/** metav1.Status as the exec protocol ends with. */
interface ExecStatus {
  status?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

export function podExec(config: ClusterConfig): PodExec {
  return {
    exec: async (pod, container, command, options = {}) => {
      const { signal } = options;
      signal?.throwIfAborted();
      const failed = (why: string, cause?: unknown) => execFailed(pod, container, config.server, why, cause);
      const { Exec } = await import('@kubernetes/client-node/dist/exec.js');
      const status = Promise.withResolvers<ExecStatus>();
      const socket: ExecSocket = await new Exec(await clientNodeConfig(config))
        .exec(
          pod.namespace ?? config.namespace,
          pod.name,
          container,
          [...command],
          options.stdout ?? sink(),
          options.stderr ?? sink(),
          options.stdin ?? null,
          false,
          (ended) => status.resolve(ended),
        )
        .catch((error: unknown) => {
          throw failed(reasonOf(error), error);
        });
      const abort = () => status.reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      socket.onerror = ({ message, error }) => status.reject(failed(message, error));
      socket.onclose = () => status.reject(failed('the connection was closed before the command ended'));
      try {
        return { exitCode: exitCodeOf(await status.promise, failed) };
      } finally {
        signal?.removeEventListener('abort', abort);
        socket.close();
      }
    },
  };
}

function exitCodeOf(status: ExecStatus, failed: (why: string) => AppError): number {
  if (status.status === 'Success') return 0;
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw failed(status.message ?? 'the API server gave no reason');
}

function execFailed(pod: ObjectKey, container: string, server: string, why: string, cause: unknown): AppError {
  return new AppError(
    'KUBE_EXEC_FAILED',
    `cannot run a command in pod ${keyText(pod)} container ${container} at ${server}: ${why}`,
    {
      retry: 'later',
      cause,
      nextStep: 'Check that the container is running and that you may create pods/exec',
    },
  );
}

/** The ws library rejects with an event: its message is in a field that is no own property. */
function reasonOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message);
}

const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
