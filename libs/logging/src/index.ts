export { type LeveledLogger, type MakeLoggerOptions, makeLogger, type PlainLine } from './make-logger.ts';
export { type RepeatPodLogOptions, repeatPodLog, repeatPodLogLimits } from './repeat-pod-log.ts';
export { fdSink, type Sink } from './sink.ts';
