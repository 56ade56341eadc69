export { orAborted, settledOrAborted, unlessAborted } from './abort.ts';
export { age } from './age.ts';
export { type BackoffLimits, backoffMs, plainBackoffMs } from './backoff.ts';
export { type Clock, systemClock } from './clock.ts';
export { eachAtOnce } from './each-at-once.ts';
export { type FollowingController, followSignals } from './follow-signals.ts';
export { parseBoolean } from './go-boolean.ts';
export { durationText, parseDurationMs } from './go-duration.ts';
export {
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  logFormats,
  logLevels,
  silentLogger,
} from './logger.ts';
export { type MountEntry, mountAt, parseMountInfo } from './mount-table.ts';
export { firstComeFirstServed, Places, type WaitingLine } from './places.ts';
export { type Random, suffixAlphabet, systemRandom } from './random.ts';
export { RateWindow } from './rate-window.ts';
export { redacted, redactText, secretTest } from './redact.ts';
export { Retries, type RetryPolicy, type RetryPorts, retry } from './retry.ts';
export { type Semaphore, type SemaphoreOptions, semaphore } from './semaphore.ts';
export { settleAll } from './settle-all.ts';
export { SharedWrites } from './shared-writes.ts';
export { steadyClock } from './steady-clock.ts';
export { TailText } from './tail-text.ts';
