import { AppError, isAppError } from '@lateen/errors';
import { type Clock, durationText, type Logger, type Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { LeaseHolder } from './lease-holder.ts';

export interface LeadOptions {
  api: KubeApi;
  /** Namespace of the Lease. */
  namespace: string;
  name: string;
  /** Must differ between processes: pod name and a random part. */
  identity: string;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Other candidates wait so long after the last renewal before they take over. */
  leaseDurationMs?: number;
  /** A leader that could not renew for so long stops; must be shorter than the lease. */
  renewDeadlineMs?: number;
  /** Interval of renewals, and of a candidate's attempts. */
  retryPeriodMs?: number;
}

/** The same figures that Kubernetes' own components use. */
export const leadDefaults = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 } as const;

/** Releasing the lease only helps the next leader; an API server that is down must not delay our end. */
const releaseTimeoutMs = 5_000;
/** A candidate's attempts are delayed by up to this fraction of `retryPeriodMs`, so that candidates do not all try at once. */
const jitter = 0.2;

type Settings = Required<LeadOptions>;

/**
 * Waits until this process holds the Lease, then runs `onLead` while the lease is renewed. The signal of `onLead` aborts as soon as leadership is
 * lost or `signal` aborts. Resolves when `onLead` has ended, or without leading when `signal` aborts first; the lease is released in both cases.
 * @throws LEADERSHIP_LOST when the lease could not be renewed in time (after `onLead` has ended); what `onLead` throws; LEASE_TIMES_WRONG at once
 */
export async function lead(
  options: LeadOptions,
  onLead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const settings: Settings = { ...leadDefaults, ...options };
  if (settings.retryPeriodMs >= settings.renewDeadlineMs || settings.renewDeadlineMs >= settings.leaseDurationMs) {
    throw new AppError('LEASE_TIMES_WRONG', 'a lease needs retryPeriodMs < renewDeadlineMs < leaseDurationMs');
  }
  const log = settings.log.child({ lease: `${settings.namespace}/${settings.name}`, identity: settings.identity });
  const holder = new LeaseHolder(settings);
  const acquiredMs = await acquire(settings, holder, log, signal);
  if (acquiredMs === undefined) return;
  log.info({}, 'leading');
  const leading = new AbortController();
  const onAbort = () => leading.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const renewing = renew(settings, holder, log, acquiredMs, leading);
  try {
    await onLead(leading.signal);
  } catch (error) {
    if (!leading.signal.aborted) throw error;
    log.debug({ err: error }, 'leading was interrupted');
  } finally {
    signal.removeEventListener('abort', onAbort);
    leading.abort();
    await renewing;
    await release(settings, holder, log);
  }
  if (isAppError(leading.signal.reason, 'LEADERSHIP_LOST')) throw leading.signal.reason;
}

/** The monotonic time of the claim; undefined when the signal aborted before. */
async function acquire(
  settings: Settings,
  holder: LeaseHolder,
  log: Logger,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { clock, random, retryPeriodMs } = settings;
  let reported = '';
  while (!signal.aborted) {
    const triedMs = clock.monotonicMs();
    try {
      const result = await holder.claim(signal);
      if (result.held) return triedMs;
      if (result.by !== reported) log.info({ leader: result.by }, 'another process leads');
      reported = result.by;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'the lease could not be claimed');
    }
    await clock.sleep(retryPeriodMs * (1 + jitter * random.next()), signal).catch(() => {});
  }
  return undefined;
}

/** Renews until `leading` aborts; aborts it with LEADERSHIP_LOST when another process has the lease or the deadline passes. */
async function renew(
  settings: Settings,
  holder: LeaseHolder,
  log: Logger,
  acquiredMs: number,
  leading: AbortController,
): Promise<void> {
  const { clock, name, renewDeadlineMs, retryPeriodMs } = settings;
  const lost = (why: string, cause?: unknown) => {
    const message = `leadership by lease ${name} is lost: ${why}`;
    leading.abort(new AppError('LEADERSHIP_LOST', message, { retry: 'soon', cause }));
  };
  let renewedMs = acquiredMs;
  let trouble: unknown;
  while (!leading.signal.aborted) {
    const leftMs = renewedMs + renewDeadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return lost(`it could not be renewed for ${durationText(renewDeadlineMs)}`, trouble);
    await clock.sleep(Math.min(retryPeriodMs, leftMs), leading.signal).catch(() => {});
    if (leading.signal.aborted) return;
    const triedMs = clock.monotonicMs();
    const attempt = attemptSignal(clock, renewedMs + renewDeadlineMs - triedMs, leading.signal);
    try {
      const result = await holder.claim(attempt.signal);
      if (!result.held) return lost(`${result.by} holds it`);
      renewedMs = triedMs;
    } catch (error) {
      if (leading.signal.aborted) return;
      trouble = error;
      log.warn({ err: error }, 'the lease could not be renewed');
    } finally {
      attempt.end();
    }
  }
}

/** A signal that aborts at the deadline or with the parent, until `end` is called; leaves no timer behind. */
function attemptSignal(clock: Clock, ms: number, parent: AbortSignal): { signal: AbortSignal; end: () => void } {
  const attempt = new AbortController();
  const timer = new AbortController();
  const onAbort = () => attempt.abort(parent.reason);
  parent.addEventListener('abort', onAbort, { once: true });
  clock.sleep(Math.max(ms, 0), timer.signal).then(
    () => attempt.abort(new DOMException('the renewal took too long', 'TimeoutError')),
    () => {},
  );
  const end = () => {
    parent.removeEventListener('abort', onAbort);
    timer.abort();
  };
  return { signal: attempt.signal, end };
}

async function release(settings: Settings, holder: LeaseHolder, log: Logger): Promise<void> {
  const attempt = attemptSignal(settings.clock, releaseTimeoutMs, new AbortController().signal);
  try {
    await holder.release(attempt.signal);
  } catch (error) {
    log.warn({ err: error }, 'the lease could not be released; it expires by itself');
  } finally {
    attempt.end();
  }
}
