import { AppError, type RetryFate } from '@lateen/errors';

export interface StopOptions {
  /**
   * What a second signal does: it `ends` the process at once, as people at a terminal expect, or is `ignored`, for work whose end
   * must be told.
   */
  again: 'ends' | 'ignored';
  /** Of the error. Default never. */
  retry?: RetryFate;
  /** Default: this process. */
  from?: Pick<NodeJS.EventEmitter, 'on' | 'once'>;
}

/**
 * Aborts on SIGTERM or SIGINT. The reason is a STOPPED error with this text, the signal's name behind it.
 */
export function stopSignal(text: string, { again, retry, from = process }: StopOptions): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    const listen = again === 'ends' ? from.once.bind(from) : from.on.bind(from);
    listen(name, () => stop.abort(new AppError('STOPPED', `${text} (${name})`, retry === undefined ? {} : { retry })));
  }
  return stop.signal;
}
