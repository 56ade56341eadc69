import { type DownloadRequest, downloadRequestType } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { apiTime, isNotFound, keyOf, keyText, type ObjectKey } from '@lateen/kube';
import {
  again,
  type EventRecorder,
  eventSubject,
  type Outcome,
  type Reconciler,
  settled,
  type WorkQueue,
  waiting,
} from '@lateen/kube-runtime';
import { withoutSignatures } from '@lateen/object-store';
import { LocationPlaces } from '@lateen/storage-location';
import { deleteRequest } from '../delete-request.ts';
import { decideDownload, downloadCheckMs, downloadTtlMs } from './decide-download.ts';
import { findLocation } from './find-location.ts';
import { type SignPorts, signDownload } from './sign-download.ts';

/** Reason of the Event on a request that cannot be answered; its message says why. */
export const noDownloadReason = 'NoDownloadURL';

export interface DownloadReconcilerPorts extends SignPorts {
  /** From the informer's cache. */
  getRequest(key: ObjectKey): DownloadRequest | undefined;
  events: EventRecorder;
  log: Logger;
}

/** The Event should be there before the answer is: a client that waits for the answer reads the reason at once. */
const eventFirstMs = 2_000;

/**
 * Answers DownloadRequests with a signed URL, and deletes them when it has expired (api.md section 9). A request that
 * cannot be answered becomes Processed without a URL, and an Event says why: asking again is cheap, waiting for a
 * time-out is not. Only trouble with the API server itself is tried again. The URL is a secret and in no log.
 */
export function downloadReconciler(ports: DownloadReconcilerPorts, queue: Pick<WorkQueue, 'add'>): Reconciler {
  const places = new LocationPlaces((request) => queue.add(request));
  return {
    reconcile: async (key, signal) => {
      const request = ports.getRequest(key);
      const isGone = request === undefined || request.metadata.deletionTimestamp !== undefined;
      const step = isGone ? undefined : decideDownload(request, ports.clock.now());
      if (step?.kind !== 'answer') places.release(keyText(key));
      if (isGone || step === undefined) return settled;
      switch (step.kind) {
        case 'answer':
          return await answer(ports, places, request, signal);
        case 'delete':
          await deleteRequest(ports.kube, downloadRequestType, request);
          return settled;
        case 'wait':
          return again(step.afterMs, 'the request is deleted when its link has expired');
        default:
          return step satisfies never;
      }
    },
  };
}

async function answer(
  ports: DownloadReconcilerPorts,
  places: LocationPlaces,
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { target } = request.spec;
  const place = keyText(keyOf(request));
  const expiresMs = ports.clock.now() + downloadTtlMs;
  let downloadURL: string | undefined;
  try {
    const location = await findLocation(ports.kube, request, signal);
    if (!places.tryTake(location.metadata.name ?? '', place)) return waiting('other requests for the location');
    downloadURL = await signDownload(ports, { location, target }, signal);
    places.release(place);
  } catch (error) {
    places.release(place);
    signal.throwIfAborted();
    if (isTroubleWithApi(error)) throw error;
    await tellWhyNot(ports, request, error, signal);
  }
  await writeAnswer(ports, request, { downloadURL, expiresMs });
  return again(downloadCheckMs, 'the request is deleted when its link has expired');
}

/** What may be gone in a moment. A right that is missing is not: the reader has to hear of it. */
function isTroubleWithApi(error: unknown): boolean {
  return (
    isAppError(error) && error.code.startsWith('KUBE_') && error.retry !== 'never' && error.code !== 'KUBE_FORBIDDEN'
  );
}

async function tellWhyNot(
  { events, clock, log }: DownloadReconcilerPorts,
  request: DownloadRequest,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { metadata, spec } = request;
  const reason = withoutSignatures(describeError(error));
  log.warn({ request: metadata.name, target: spec.target, reason }, 'a download request cannot be answered');
  const { kind: file, name } = spec.target;
  events.record(eventSubject(request), noDownloadReason, `there is no link to ${file} of "${name}": ${reason}`, {
    type: 'Warning',
  });
  // An Event that is late, or refused, holds up no answer; the recorder logs what it gives up.
  await events.flush(AbortSignal.any([signal, clock.deadline(eventFirstMs)])).catch(() => signal.throwIfAborted());
}

async function writeAnswer(
  { kube, log }: DownloadReconcilerPorts,
  request: DownloadRequest,
  { downloadURL, expiresMs }: { downloadURL: string | undefined; expiresMs: number },
): Promise<void> {
  const { target } = request.spec;
  const status = {
    phase: 'Processed',
    expiration: apiTime(expiresMs),
    ...(downloadURL === undefined ? {} : { downloadURL }),
  };
  try {
    await kube.patch(downloadRequestType, keyOf(request), { type: 'merge', body: { status } });
  } catch (error) {
    // Deleted meanwhile: the answer is no longer needed.
    if (!isNotFound(error)) throw error;
    return;
  }
  if (downloadURL !== undefined) log.info({ request: request.metadata.name, target }, 'a download request is answered');
}
