/** The largest accepted difference between the clocks of nodes and of the API server. */
export const clocksDifferMs = 60_000;

/** Whether a time lies in the future: the clock that recorded it, or the present one, has jumped. Nothing may wait for such a time. */
export const isAhead = (ms: number, nowMs: number): boolean => ms > nowMs + clocksDifferMs;
