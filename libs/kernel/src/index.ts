export { type BackoffLimits, backoffMs } from './backoff.ts';
export { type Clock, systemClock } from './clock.ts';
export { parseBoolean } from './go-boolean.ts';
export { parseDurationMs } from './go-duration.ts';
export {
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  logFormats,
  logLevels,
  silentLogger,
} from './logger.ts';
export { type Random, suffixAlphabet, systemRandom } from './random.ts';
