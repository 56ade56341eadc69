import pino from 'pino';

/**
 * Where log lines go. One call writes one or more whole lines, at once and in the order of the calls: everything that
 * writes to the same place must share one sink, or lines can be torn.
 */
export interface Sink {
  /** @param lines each ends with a line feed */
  write(lines: string): void;
}

export interface FdSinkOptions {
  /** 1 is standard output. */
  fd: number;
  /**
   * Write before returning. For short-lived processes: an asynchronous sink loses what is still buffered when the
   * process ends. Default true.
   */
  sync?: boolean;
}

/** What an asynchronous sink collects before it writes. */
const bufferBytes = 4096;
/** Beyond this, an asynchronous sink drops lines instead of filling the memory when nobody reads. */
const bufferedBytesMax = 16 * 1024 * 1024;

/** A sink on a file descriptor; a reader that has gone away is no error. `flush` writes what is buffered. */
export function fdSink({ fd, sync = true }: FdSinkOptions): Sink & { flush(): void } {
  const destination = pino.destination({
    fd,
    sync,
    ...(sync ? {} : { minLength: bufferBytes, maxLength: bufferedBytesMax }),
  });
  return {
    write: (lines) => {
      destination.write(lines);
    },
    flush: () => destination.flushSync(),
  };
}
