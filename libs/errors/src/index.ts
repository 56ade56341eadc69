export { AppError, type AppErrorOptions, isAppError, type RetryFate } from './app-error.ts';
export { byteSize } from './byte-size.ts';
export { describeError } from './describe-error.ts';
export { plainLine } from './plain-line.ts';
export { quoted } from './quoted.ts';
