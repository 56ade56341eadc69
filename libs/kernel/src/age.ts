const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;

/** A measured duration as in the tables of kubectl, in at most two units: `119s`, `3m20s`, `47h`, `29d`, `2y100d`. Negative ones are `0s`. */
export function age(ms: number): string {
  const whole = (unitMs: number) => Math.floor(ms / unitMs);
  const both = (unitMs: number, unit: string, restMs: number, rest: string) => {
    const left = Math.floor((ms % unitMs) / restMs);
    return left === 0 ? `${whole(unitMs)}${unit}` : `${whole(unitMs)}${unit}${left}${rest}`;
  };
  if (ms < 2 * minuteMs) return `${Math.max(whole(secondMs), 0)}s`;
  if (ms < 10 * minuteMs) return both(minuteMs, 'm', secondMs, 's');
  if (ms < 3 * hourMs) return `${whole(minuteMs)}m`;
  if (ms < 8 * hourMs) return both(hourMs, 'h', minuteMs, 'm');
  if (ms < 2 * dayMs) return `${whole(hourMs)}h`;
  if (ms < 8 * dayMs) return both(dayMs, 'd', hourMs, 'h');
  if (ms < 2 * yearMs) return `${whole(dayMs)}d`;
  return ms < 8 * yearMs ? both(yearMs, 'y', dayMs, 'd') : `${whole(yearMs)}y`;
}
