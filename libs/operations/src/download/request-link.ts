import { type DownloadRequest, type DownloadTarget, downloadRequestType, eventType } from '@lateen/api-types';
import { AppError, isAppError, plainLine } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import { apiVersionOf, type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

export interface LinkPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
}

export interface LinkOptions {
  /** The namespace that Lateen (or Velero) runs in. */
  namespace: string;
  target: DownloadTarget;
  /** How long to wait for the server's answer. */
  timeoutMs: number;
}

/** How long deleting the request may delay the end of a command; the server deletes it too, when the link expires. */
const releaseMs = 5_000;

const nameLengthMax = 253;

/**
 * Asks the server for a link to a file and passes it to `use`. The DownloadRequest is deleted afterwards in any case, also after an
 * abort. The link is a secret until it expires: never print or log it.
 * @throws AppError DOWNLOAD_TIMEOUT when no link has come in time | DOWNLOAD_REFUSED with the server's reason |
 *   DOWNLOAD_REQUEST_DELETED | what `use` throws | the signal's reason
 */
export async function withLink<R>(
  ports: LinkPorts,
  options: LinkOptions,
  use: (url: string) => Promise<R>,
  signal: AbortSignal,
): Promise<R> {
  const request = await ports.kube.create(downloadRequestType, newRequest(ports, options), {
    namespace: options.namespace,
    signal,
  });
  try {
    return await use(await linkOf(ports, request, options, signal));
  } finally {
    await release(ports, request);
  }
}

function newRequest({ random }: LinkPorts, { namespace, target }: LinkOptions): DownloadRequest {
  const unique = random.uuid();
  return {
    apiVersion: apiVersionOf(downloadRequestType),
    kind: downloadRequestType.kind,
    metadata: { namespace, name: `${target.name.slice(0, nameLengthMax - unique.length - 1)}-${unique}` },
    spec: { target },
  };
}

async function linkOf(
  { kube, clock }: LinkPorts,
  request: DownloadRequest,
  { timeoutMs }: LinkOptions,
  signal: AbortSignal,
): Promise<string> {
  const timeout = clock.deadline(timeoutMs);
  const either = AbortSignal.any([signal, timeout]);
  try {
    const answered = await waitForObject<DownloadRequest, DownloadRequest>({
      api: kube,
      type: downloadRequestType,
      key: keyOf(request),
      clock,
      signal: either,
      until: (seen) => {
        if (seen === undefined) throw deleted(request);
        return seen.status?.downloadURL || seen.status?.phase === 'Processed' ? seen : undefined;
      },
    });
    const url = answered.status?.downloadURL;
    if (url) return url;
    throw await refused(kube, request, either);
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    // Velero's words (cli.md section 7), because users search for them.
    throw new AppError(
      'DOWNLOAD_TIMEOUT',
      'download request download url timeout, check velero server logs for errors. backup storage location may not be available',
      { retry: 'later' },
    );
  }
}

/** Reads the Event in which the server says why there is no link (libs/requests). */
async function refused(kube: KubeApi, request: DownloadRequest, signal: AbortSignal): Promise<AppError> {
  const { namespace, name, uid } = request.metadata;
  const fieldSelector = `involvedObject.uid=${uid}`;
  const events = await kube.list(eventType, { namespace, fieldSelector, signal }).catch((error: unknown) => {
    // A user without the right to read Events has to look into the server's log.
    if (isAppError(error, 'KUBE_FORBIDDEN')) return { items: [] };
    throw error;
  });
  const said = events.items.findLast((event) => event.type === 'Warning')?.message;
  return new AppError(
    'DOWNLOAD_REFUSED',
    plainLine(said ?? `the server gives no link for DownloadRequest ${namespace}/${name}, and does not say why`),
    said === undefined ? { nextStep: 'See the log of the server.' } : {},
  );
}

const deleted = ({ metadata }: DownloadRequest): AppError =>
  new AppError(
    'DOWNLOAD_REQUEST_DELETED',
    `DownloadRequest ${metadata.namespace}/${metadata.name} was deleted by somebody`,
  );

/** Deletes the request. An error is ignored: the server deletes it ten minutes later, and the user already has the file. */
async function release({ kube, clock }: LinkPorts, request: DownloadRequest): Promise<void> {
  await kube.delete(downloadRequestType, keyOf(request), { signal: clock.deadline(releaseMs) }).catch(() => {});
}
