import type { Logger } from '@lateen/kernel';

type Output = Pick<NodeJS.WriteStream, 'write'>;

/** A line without an end is logged when it has become this long. */
const pendingCharactersMax = 16 * 1024;

/**
 * Lets what code writes to standard output (`console.log`) become log lines at info: that stream is not read after the handshake, and a
 * long line in it blocks programs under Velero.
 */
export function captureOutput(output: Output, log: Logger): void {
  let pending = '';
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    pending += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    if (pending.length > pendingCharactersMax) {
      lines.push(pending);
      pending = '';
    }
    for (const line of lines) if (line !== '') log.info({ stream: 'stdout' }, line);
    const done = rest.find((one): one is () => void => typeof one === 'function');
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
  output.write = write as Output['write'];
}
