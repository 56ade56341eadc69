/** A time as the kernel takes it: the nanoseconds count forward, also before 1970. */
export interface KernelTime {
  seconds: bigint;
  nanoseconds: number;
}

const second = 1_000_000_000n;

export function kernelTime(ns: bigint): KernelTime {
  const nanoseconds = ((ns % second) + second) % second;
  return { seconds: (ns - nanoseconds) / second, nanoseconds: Number(nanoseconds) };
}

/**
 * The seconds that make Node set exactly this time, undefined where there are none: Node takes a float64, whose steps are
 * 238 ns in our days, and cuts its fraction to nanoseconds (libuv, uv__fs_to_timespec). Instead of a number below zero it
 * takes the present time.
 */
export function exactSeconds(ns: bigint): number | undefined {
  if (ns < 0n) return undefined;
  const { seconds, nanoseconds } = kernelTime(ns);
  const float = Number(seconds) + nanoseconds / 1e9;
  const whole = Math.trunc(float);
  const rest = Math.trunc((float - whole) * 1e9);
  return BigInt(whole) === seconds && rest === nanoseconds ? float : undefined;
}

/** About the nearest that Node can set: off by less than a microsecond in our days, by a millisecond before 1970. */
export function roundedTime(ns: bigint): number | Date {
  const { seconds, nanoseconds } = kernelTime(ns);
  return ns < 0n ? new Date(Number(ns / 1_000_000n)) : Number(seconds) + nanoseconds / 1e9;
}
