import { type Clock, durationText, followSignals, type Logger, type Random } from '@lateen/kernel';
import { kubeError } from '../kube-error.ts';
import type { HttpAnswer, HttpTransport } from './http-transport.ts';
import { idleGuard } from './idle-guard.ts';
import { readError } from './read-answer.ts';
import type { PlannedRequest } from './request-builders.ts';
import { type RetryLimits, withRetry } from './retry.ts';
import { isGood, sendFresh } from './send-fresh.ts';

export interface StreamDeps {
  transport: HttpTransport;
  clock: Clock;
  random: Random;
  log: Logger;
  limits: RetryLimits;
  planned: PlannedRequest;
  signal: AbortSignal | undefined;
  /** Without it, silence is no fault. */
  idleMsMax?: number | undefined;
}

const errorBytesMax = 64 * 1024;

/**
 * The body of a request as it comes. The request is sent when iteration begins, with retries until the answer begins;
 * what breaks later is the caller's to resume. Leaving the loop closes the connection.
 */
export async function* openStream(deps: StreamDeps): AsyncGenerator<Uint8Array> {
  const { transport, clock, planned, idleMsMax } = deps;
  const call = followSignals(deps.signal);
  const onIdle = () => call.abort(wentSilent(planned, transport.server, idleMsMax ?? 0));
  let guard: ReturnType<typeof idleGuard> | undefined;
  try {
    const answer = await withRetry(() => begin(deps, call.signal), {
      ...deps,
      isRead: true,
      purpose: planned.purpose,
      signal: call.signal,
    });
    guard = idleMsMax === undefined ? undefined : idleGuard(clock, idleMsMax, onIdle);
    for await (const chunk of answer.body) {
      guard?.pause();
      yield chunk;
      guard?.touch();
    }
  } catch (error) {
    throw call.signal.aborted ? call.signal.reason : error;
  } finally {
    guard?.stop();
    call.release();
  }
}

async function begin({ transport, planned, clock }: StreamDeps, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const answer = await sendFresh(transport, { ...planned, signal });
  if (isGood(answer)) return answer;
  throw await readError(answer, { ...planned, server: transport.server, nowMs: clock.now(), bytesMax: errorBytesMax });
}

function wentSilent({ purpose }: PlannedRequest, server: string, idleMs: number): Error {
  const text = `cannot ${purpose} at ${server}: not even a bookmark came for ${durationText(idleMs)}`;
  return kubeError('KUBE_UNAVAILABLE', text, { reason: 'IDLE' });
}
