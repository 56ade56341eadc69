import { Writable } from 'node:stream';
import type { Exec } from '@kubernetes/client-node/dist/exec.js';
import { AppError, type RetryFate } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { connectionError, type ExecOptions, keyText, type ObjectKey, type PodExec } from '@lateen/kube';
import { clientNodeConfig } from './client-node-config.ts';
import type { ClusterConfig } from './load-kube-config.ts';

/** The WebSocket that a command runs over. */
type ExecSocket = Awaited<ReturnType<Exec['exec']>>;

/** metav1.Status as the exec protocol ends with. */
interface ExecStatus {
  status?: string;
  reason?: string;
  message?: string;
  details?: { causes?: { reason?: string; message?: string }[] };
}

/** A container runtime starts a process in far less; a kubelet that does not answer must not hold the caller. */
const connectTimeoutMs = 30_000;

export function podExec(config: ClusterConfig, clock: Clock): PodExec {
  return {
    exec: async (pod, container, command, options = {}) => {
      const { signal } = options;
      signal?.throwIfAborted();
      const failed = (why: string, cause?: unknown, retry?: RetryFate) =>
        execFailed({ pod, container, server: config.server, why, cause, retry });
      const ended = Promise.withResolvers<ExecStatus>();
      // The promise may not be awaited yet when the connection is refused.
      ended.promise.catch(() => {});
      const abort = () => ended.reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      const connecting = connect({ config, pod, container, command, options, onStatus: ended.resolve });
      const opened = new AbortController();
      clock.sleep(connectTimeoutMs, opened.signal).then(
        () => ended.reject(failed(`no connection within ${durationText(connectTimeoutMs)}`)),
        () => {},
      );
      connecting.then(
        (socket) => {
          opened.abort();
          socket.onerror = ({ message, error }) => ended.reject(failed(message, error));
          socket.onclose = () => ended.reject(failed('the connection was closed before the command ended'));
        },
        (error: unknown) => ended.reject(failed(reasonOf(error), error, fateOf(error, config.server))),
      );
      try {
        return { exitCode: exitCodeOf(await ended.promise, failed) };
      } finally {
        signal?.removeEventListener('abort', abort);
        opened.abort();
        // Also a connection that is only made after we have left.
        connecting.then(
          (socket) => socket.close(),
          () => {},
        );
      }
    },
  };
}

async function connect(call: {
  config: ClusterConfig;
  pod: ObjectKey;
  container: string;
  command: readonly string[];
  options: ExecOptions;
  onStatus: (status: ExecStatus) => void;
}): Promise<ExecSocket> {
  const { config, pod, container, command, options, onStatus } = call;
  const { Exec } = await import('@kubernetes/client-node/dist/exec.js');
  const { stdout = sink(), stderr = sink(), stdin = null } = options;
  const namespace = pod.namespace ?? config.namespace;
  const client = new Exec(await clientNodeConfig(config));
  return client.exec(namespace, pod.name, container, [...command], stdout, stderr, stdin, false, onStatus);
}

function exitCodeOf(status: ExecStatus, failed: (why: string) => AppError): number {
  if (status.status === 'Success') return 0;
  const code = status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  if (status.reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw failed(status.message ?? 'the API server gave no reason');
}

function execFailed(failure: {
  pod: ObjectKey;
  container: string;
  server: string;
  why: string;
  cause: unknown;
  retry?: RetryFate | undefined;
}): AppError {
  const { pod, container, server, why, cause, retry = 'later' } = failure;
  return new AppError(
    'KUBE_EXEC_FAILED',
    `cannot run a command in pod ${keyText(pod)} container ${container} at ${server}: ${why}`,
    {
      retry,
      cause,
      details: { httpStatus: statusOf(cause) },
      nextStep: 'Check that the container is running and that you may create pods/exec',
    },
  );
}

/** Of the answer that refused the connection; the ws library tells it nowhere else. */
function statusOf(error: unknown): number | undefined {
  const status = /^Unexpected server response: (\d+)$/.exec(reasonOf(error))?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Of a connection that was not made: an API server that is away or busy comes back; one that says no means it. */
function fateOf(error: unknown, server: string): RetryFate {
  const status = statusOf(error);
  if (status !== undefined) return status === 429 || status >= 500 ? 'soon' : 'later';
  const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : error;
  return connectionError(inner, { purpose: 'run a command' }, server).retry === 'soon' ? 'soon' : 'later';
}

/** The ws library rejects with an event: its message is in a field that is no own property. */
function reasonOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message);
}

const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
