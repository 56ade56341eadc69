import { type ServerStatusRequest, serverStatusRequestType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { apiVersionOf, type KubeApi, keyOf } from '@lateen/kube';

/** Velero's poll interval (cli.md section 11). */
export const serverStatusPollMs = 250;

/**
 * Asks the server for its version and plugins by a ServerStatusRequest (api.md section 10); the server deletes the request a minute after
 * its answer. @throws AppError SERVER_SILENT when no answer arrives within `timeoutMs`; KUBE_…
 */
export async function askServerStatus(
  { kube, clock }: { kube: KubeApi; clock: Clock },
  namespace: string,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<ServerStatusRequest> {
  const timeout = clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    let request = await kube.create(serverStatusRequestType, newRequest(namespace), { namespace, signal: either });
    while (request.status?.phase !== 'Processed') {
      await clock.sleep(serverStatusPollMs, either);
      request = await kube.get(serverStatusRequestType, keyOf(request), { signal: either });
    }
    return request;
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    // Velero's words (cli.md section 11), because scripts search for them.
    throw new AppError('SERVER_SILENT', 'context deadline exceeded', { retry: 'later' });
  }
}

function newRequest(namespace: string): ServerStatusRequest {
  return {
    apiVersion: apiVersionOf(serverStatusRequestType),
    kind: serverStatusRequestType.kind,
    metadata: { namespace, generateName: 'velero-cli-' },
    spec: {},
  };
}
