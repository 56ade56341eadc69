export { AppError, type AppErrorOptions, isAppError, type RetryFate } from './app-error.ts';
export { describeError } from './describe-error.ts';
