/** What a clock on the wall shows in one zone. */
export interface TimeZone {
  /** Added to UTC gives wall time, in ms. */
  offsetMs(atMs: number): number;
  /** The first moment after `fromMs`, and not after `untilMs`, at which the clocks are set; undefined: they are not. */
  nextChange(fromMs: number, untilMs: number): number | undefined;
}

const dayMs = 86_400_000;

/** Two changes of one zone are further apart than this: the nearest are those around a Ramadan. */
const lookEveryMs = 7 * dayMs;

/** Undefined for a name that the zone database does not have. "" is UTC, as in Go, and so is `Local`: servers run in it. */
export function timeZone(name: string): TimeZone | undefined {
  if (['', 'UTC', 'Local'].includes(name)) return { offsetMs: () => 0, nextChange: () => undefined };
  // An offset is a zone for the runtime, and none for Go.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, hourCycle: 'h23', ...wholeDate });
  } catch {
    return undefined;
  }
  const offsetMs = (atMs: number): number => wallMs(format, atMs) - Math.floor(atMs / 1_000) * 1_000;
  return {
    offsetMs,
    nextChange: (fromMs, untilMs) => {
      const offset = offsetMs(fromMs);
      for (let atMs = fromMs; atMs < untilMs; ) {
        const nextMs = Math.min(atMs + lookEveryMs, untilMs);
        if (offsetMs(nextMs) !== offset) return firstOther(offsetMs, atMs, nextMs);
        atMs = nextMs;
      }
      return undefined;
    },
  };
}

const wholeDate = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;

function wallMs(format: Intl.DateTimeFormat, atMs: number): number {
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** Clocks are set at whole seconds. */
function firstOther(offsetMs: (atMs: number) => number, beforeMs: number, afterMs: number): number {
  const before = offsetMs(beforeMs);
  let [low, high] = [Math.floor(beforeMs / 1_000), Math.ceil(afterMs / 1_000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}
