import type { ServerResponse } from 'node:http';
import type { Behaviour, ReceivedRequest } from './fault-server.ts';

/** A JSON response. A string is sent unchanged, so that a test can choose every byte. */
export function answers(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  };
}

/** metav1.Status, with which the API server rejects a request. */
export function refuses(
  code: number,
  reason: string,
  options: { headers?: Record<string, string>; message?: string } = {},
): Behaviour {
  const message = options.message ?? `refused: ${reason}`;
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return answers(code, status, options.headers);
}

export const html = (status: number): Behaviour =>
  answers(status, '<html><body>Please log in to the proxy</body></html>', { 'content-type': 'text/html' });

/** Closes the connection without a response. */
export const resets: Behaviour = (_response, request) => request.reset();

/** Sends headers and part of the body, then closes the connection. */
export const breaksOff =
  (text: string): Behaviour =>
  (response, request) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length + 100) });
    response.write(text, () => request.reset());
  };

/** Reads the request and never responds. */
export const hangs: Behaviour = () => {};

/** Sends headers and part of the body, then nothing more. */
export const hangsAfter =
  (text: string): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(text);
  };

export interface OpenStream {
  write(text: string | Uint8Array): Promise<void>;
  end(): void;
  reset(): void;
}

/** A streamed response that the test controls: `stream.opened` resolves when the request has arrived. */
export function streams(): { behaviour: Behaviour; opened: Promise<OpenStream> } {
  const opened = Promise.withResolvers<OpenStream>();
  const behaviour: Behaviour = (response, request) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    opened.resolve(streamOn(response, request));
  };
  return { behaviour, opened: opened.promise };
}

function streamOn(response: ServerResponse, request: ReceivedRequest): OpenStream {
  return {
    write: (text) => new Promise((resolve) => response.write(text, () => resolve())),
    end: () => response.end(),
    reset: () => request.reset(),
  };
}

/** One line of a watch. */
export const eventLine = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
export const bookmarkLine = (resourceVersion: string): string =>
  eventLine('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } });
