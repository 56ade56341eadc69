/**
 * `Retry-After` in ms: seconds or an HTTP date (RFC 9110 section 10.2.3). Undefined when absent or not understood;
 * never negative.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse also takes bare numbers and ISO dates; an HTTP date begins with a day's name.
  if (!/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(at - nowMs, 0);
}
