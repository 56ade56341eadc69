import pino from 'pino';

/**
 * Where log lines go. One call writes one or more whole lines, at once and in the order of the calls: everything that
 * writes to the same place must share one sink, or lines can be torn.
 */
export interface Sink {
  /** @param lines each ends with a line feed */
  write(lines: string): void;
}

/**
 * A sink on a file descriptor (1 is standard output); a reader that has gone away is no error. Everything is written before
 * the call returns: what a buffer holds is lost with a process that ends.
 */
export function fdSink({ fd }: { fd: number }): Sink {
  const destination = pino.destination({ fd, sync: true });
  return {
    write: (lines) => {
      destination.write(lines);
    },
  };
}
