/** What the clocks of nodes and of the API server may differ by. */
export const clocksDifferMs = 60_000;

/** A date that has not come yet: the clock that it was read from, or the one that is read now, has leapt. Nothing is to wait for it. */
export const isAhead = (ms: number, nowMs: number): boolean => ms > nowMs + clocksDifferMs;
