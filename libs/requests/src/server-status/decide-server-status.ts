import type { ServerStatusRequest } from '@lateen/api-types';

/** How long an answer stays (api.md section 10). */
export const serverStatusTtlMs = 60_000;

export type ServerStatusStep = { kind: 'answer' } | { kind: 'delete' } | { kind: 'wait'; afterMs: number };

/** What is to be done about a request now. */
export function decideServerStatus({ status }: ServerStatusRequest, nowMs: number): ServerStatusStep {
  if (status?.phase !== 'Processed') return { kind: 'answer' };
  const processedMs = Date.parse(status.processedTimestamp ?? '');
  // An answer that does not say when it was given is not one of ours, and its age is not known.
  const leftMs = Number.isNaN(processedMs) ? 0 : processedMs + serverStatusTtlMs - nowMs;
  // A time in the future (a clock that was set back) must not keep it for ever.
  return leftMs > 0 ? { kind: 'wait', afterMs: Math.min(leftMs, serverStatusTtlMs) } : { kind: 'delete' };
}
