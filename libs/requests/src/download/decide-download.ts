import type { DownloadRequest } from '@lateen/api-types';

/** How long a link may be used, and how long its request stays (object-store-layout.md section 7). */
export const downloadTtlMs = 600_000;

/** An answered request is checked this often, so that a change of the clock is noticed (api.md section 9). */
export const downloadCheckMs = 60_000;

export type DownloadStep = { kind: 'answer' } | { kind: 'delete' } | { kind: 'wait'; afterMs: number };

/** What is to be done about a request now. One without an answer is answered however old it is: clocks may differ. */
export function decideDownload(request: DownloadRequest, nowMs: number): DownloadStep {
  if (request.status?.phase !== 'Processed') return { kind: 'answer' };
  const leftMs = expiresMs(request) - nowMs;
  return leftMs > 0 ? { kind: 'wait', afterMs: Math.min(leftMs, downloadCheckMs) } : { kind: 'delete' };
}

/** A request that says Processed and no time was not answered by us; it goes when one of ours would. */
function expiresMs({ metadata, status }: DownloadRequest): number {
  const said = Date.parse(status?.expiration ?? '');
  if (!Number.isNaN(said)) return said;
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? 0 : created + downloadTtlMs;
}
