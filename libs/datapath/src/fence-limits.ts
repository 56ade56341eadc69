/**
 * How a mover that writes a volume is kept from writing beside its successor (docs/adr/0018); ms. It may write for
 * `confirmedForMs` after the question whose answer confirmed its attempt, has stopped `engineStopMs` later, and the kernel of its
 * node then writes back what the engine has left. Its successor begins `nextWriterAfterMs` (libs/data-movement, `movementLimits`)
 * after the attempt was taken from it:
 *
 *     confirmedForMs + engineStopMs + writeBackMs + clockSkewMs  <=  nextWriterAfterMs
 *         120 s      +     20 s     +    35 s     +    20 s      <=       200 s
 */
export const fenceLimits = {
  /** From one question to the next; with jitter, so that the movers of a large restore do not ask together. */
  askEveryMs: 15_000,
  /** After one that was not answered. */
  askAgainMs: 5_000,
  /** A question over a connection that is half open gets no answer. */
  askTimeoutMs: 10_000,
  /** An API server that restarts is away for less; a restore is not given up for that. */
  confirmedForMs: 120_000,
  /** From SIGINT to SIGKILL: kopia ends uploads in flight and writes what it has, restic removes its lock. */
  engineGraceMs: 15_000,
  /** From the end of the confirmation until the process ends, and everything in its container with it. */
  engineStopMs: 20_000,
  /** Linux writes back what is dirty for 30 s, and looks each 5 s. */
  writeBackMs: 35_000,
  /** By which the clocks of two nodes differ at most: one writes down when the next attempt begins, another may read it. */
  clockSkewMs: 20_000,
} as const;

export type FenceLimits = { readonly [name in keyof typeof fenceLimits]: number };
