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
  /** That Lateen (or Velero) runs in. */
  namespace: string;
  target: DownloadTarget;
  /** How long the server may take. */
  timeoutMs: number;
}

/** How long taking the request away may hold up the end of a command; the server does it too, when the link expires. */
const releaseMs = 5_000;

const nameLengthMax = 253;

/**
 * Asks the server for a link to a file and hands it to `use`; the DownloadRequest is taken away afterwards, whatever
 * happened, an abort included. The link is a secret until it expires: print and log it nowhere.
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
    // Velero's words (cli.md section 7): people look for them.
    throw new AppError(
      'DOWNLOAD_TIMEOUT',
      'download request download url timeout, check velero server logs for errors. backup storage location may not be available',
      { retry: 'later' },
    );
  }
}

/** The server says by an Event why there is no link (libs/requests). */
async function refused(kube: KubeApi, request: DownloadRequest, signal: AbortSignal): Promise<AppError> {
  const { namespace, name, uid } = request.metadata;
  const fieldSelector = `involvedObject.uid=${uid}`;
  const events = await kube.list(eventType, { namespace, fieldSelector, signal }).catch((error: unknown) => {
    // Who may not see Events has to look into the log.
    if (isAppError(error, 'KUBE_FORBIDDEN')) return { items: [] };
    throw error;
  });
  const said = events.items.findLast((event) => event.type === 'Warning')?.message;
  return new AppError(
    'DOWNLOAD_REFUSED',
    plainLine(said ?? `the server gives no link for DownloadRequest ${namespace}/${name}, and does not say why`),
    said === undefined ? { nextStep: 'Look into the log of the server.' } : {},
  );
}

const deleted = ({ metadata }: DownloadRequest): AppError =>
  new AppError(
    'DOWNLOAD_REQUEST_DELETED',
    `DownloadRequest ${metadata.namespace}/${metadata.name} was deleted by somebody`,
  );

/** The server deletes it too, ten minutes later: to whoever has got the file, it does not matter why this one cannot. */
async function release({ kube, clock }: LinkPorts, request: DownloadRequest): Promise<void> {
  await kube.delete(downloadRequestType, keyOf(request), { signal: clock.deadline(releaseMs) }).catch(() => {});
}
