import { AppError } from '@lateen/errors';
import { type Logger, type RetryPolicy, type RetryPorts, retry } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { readClient } from '../gather/read-client.ts';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import { isTransient } from '../transient-error.ts';
import { type Ending, recordBackoff } from './record-end.ts';

export interface CheckClientPorts extends RetryPorts {
  kube: KubeApi;
  log: Logger;
  /** Whether the hosting pod reaches the volume through the client pod's directory on the node, as far as that is known. */
  neededClient(object: Movement): boolean;
}

/**
 * Corrects the end of a data path when the client pod, and its volume with it, may have gone meanwhile. A backup that was read
 * without the pod is no backup, even when the mover reports success; a failure is attributed to the missing pod. @throws the
 * signal's reason
 */
export async function checkClient<T extends Movement>(
  ports: CheckClientPorts,
  kind: MovementKind<T>,
  { object, ending }: { object: T; ending: Ending },
  signal: AbortSignal,
): Promise<Ending> {
  const { client } = kind;
  if (client === undefined || ending.phase === 'Canceled' || !ports.neededClient(object)) return ending;
  if (ending.phase === 'Completed' && !client.isNeededToTheEnd) return ending;
  const named = client.podOf(object);
  const policy: RetryPolicy = { backoff: recordBackoff, mayRetry: isTransient };
  try {
    const pod = await retry(ports, policy, () => readClient(ports.kube, named, signal), signal);
    const problem = client.problem(pod, object);
    return problem === undefined ? ending : { phase: 'Failed', error: withCause(problem, ending) };
  } catch (error) {
    signal.throwIfAborted();
    ports.log.warn({ err: error }, 'whether the pod of the volume is still there could not be seen');
    return ending;
  }
}

/** The mover's error is a consequence of the problem, so it comes after it in the message. */
function withCause({ code, message, nextStep }: AppError, ending: Ending): AppError {
  const said = ending.phase === 'Failed' ? { cause: ending.error } : {};
  return new AppError(code, message, { ...said, ...(nextStep === undefined ? {} : { nextStep }) });
}
