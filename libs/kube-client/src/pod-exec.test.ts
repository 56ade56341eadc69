import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { systemClock } from '@lateen/kernel';
import type { PodExec } from '@lateen/kube';
import { testCertificates } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configForTests } from './config-for-tests.ts';
import { podExec } from './pod-exec.ts';

const [stdinChannel, stdoutChannel, stderrChannel, statusChannel] = [0, 1, 2, 3] as const;

/** The server side of the exec protocol, with the parts of WebSocket (RFC 6455) that it needs. */
interface ExecSide {
  url: string;
  send(channel: number, body: string): void;
  close(): void;
  /** Data from the client, without frame headers and unmasked. */
  received: Buffer[];
}

describe('exec', () => {
  let server: Server;
  let answer: (side: ExecSide) => void | Promise<void> = () => {};
  let refusal: string | undefined;
  const { ca, server: own } = testCertificates();
  beforeEach(async () => {
    refusal = undefined;
    server = createServer(own);
    server.on('upgrade', (request, socket: Socket) => {
      socket.on('error', () => {});
      if (refusal !== undefined) return socket.end(refusal);
      const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
          'Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n',
      );
      const side: ExecSide = {
        url: request.url ?? '',
        send: (channel, body) => socket.write(frame(channel, body)),
        close: () => socket.destroy(),
        received: [],
      };
      socket.on('data', (chunk) => side.received.push(...unframed(chunk)));
      void answer(side);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  function exec(...args: Parameters<PodExec['exec']>) {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = configForTests({ url, ca }, { user: { token: 't' } });
    return podExec(config, systemClock).exec(...args);
  }
  const pod = { namespace: 'ns', name: 'p' };
  const success = JSON.stringify({ status: 'Success' });

  it('returns both outputs and exit code 0', async () => {
    let url = '';
    answer = (side) => {
      url = side.url;
      side.send(stdoutChannel, 'out ');
      side.send(stderrChannel, 'err');
      side.send(stdoutChannel, 'put');
      side.send(statusChannel, success);
    };
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    expect(await exec(pod, 'main', ['sh', '-c', 'a b'], { stdout, stderr })).toEqual({ exitCode: 0 });
    expect([await text(stdout), await text(stderr)]).toEqual(['out put', 'err']);
    expect(url).toBe(
      '/api/v1/namespaces/ns/pods/p/exec?stdout=true&stderr=true&stdin=false&tty=false&command=sh&command=-c&command=a%20b&container=main',
    );
  });

  it('returns the exit code of a failed command', async () => {
    const details = { causes: [{ reason: 'ExitCode', message: '3' }] };
    answer = (side) =>
      side.send(statusChannel, JSON.stringify({ status: 'Failure', reason: 'NonZeroExitCode', details }));
    expect(await exec(pod, 'main', ['false'])).toEqual({ exitCode: 3 });
  });

  it('sends its input', async () => {
    const isInput = (message: Buffer) => message[0] === stdinChannel && message.subarray(1).toString() === 'hello';
    answer = async (side) => {
      while (!side.received.some(isInput)) await systemClock.sleep(5);
      side.send(statusChannel, success);
    };
    expect(await exec(pod, 'main', ['cat'], { stdin: Readable.from([Buffer.from('hello')]) })).toEqual({ exitCode: 0 });
  });

  it.each([
    [
      'the container is not running',
      (side: ExecSide) =>
        side.send(statusChannel, JSON.stringify({ status: 'Failure', message: 'container not running' })),
      'container not running',
    ],
    ['the connection breaks', (side: ExecSide) => side.close(), 'before the command ended'],
  ])('fails and names the pod when %s', async (_what, behaviour, why) => {
    answer = behaviour;
    await expect(exec(pod, 'main', ['true'])).rejects.toMatchObject({
      code: 'KUBE_EXEC_FAILED',
      message: expect.stringMatching(new RegExp(`pod ns/p container main.*${why}`)),
      retry: 'later',
      nextStep: expect.stringContaining('pods/exec'),
    });
  });

  it.each([
    ['403 Forbidden', 'later'],
    ['404 Not Found', 'later'],
    ['429 Too Many Requests', 'soon'],
    ['503 Service Unavailable', 'soon'],
  ])('fails when the server answers %s, retry: %s', async (status, retry) => {
    refusal = `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;
    await expect(exec(pod, 'main', ['true'])).rejects.toMatchObject({
      code: 'KUBE_EXEC_FAILED',
      message: expect.stringContaining(status.slice(0, 3)),
      retry,
    });
  });

  it('can be retried when the server is not reachable', async () => {
    const config = configForTests({ url: 'https://127.0.0.1:1', ca }, { user: { token: 't' } });
    await expect(podExec(config, systemClock).exec(pod, 'main', ['true'])).rejects.toMatchObject({
      code: 'KUBE_EXEC_FAILED',
      retry: 'soon',
    });
  });

  it('ends with the reason of the abort', async () => {
    const stop = new AbortController();
    answer = () => stop.abort(new Error('enough'));
    await expect(exec(pod, 'main', ['sleep', '60'], { signal: stop.signal })).rejects.toThrow('enough');
  });
});

function frame(channel: number, body: string): Buffer {
  const payload = Buffer.concat([Buffer.of(channel), Buffer.from(body)]);
  const header =
    payload.length < 126
      ? Buffer.of(0x82, payload.length)
      : Buffer.of(0x82, 126, payload.length >> 8, payload.length & 255);
  return Buffer.concat([header, payload]);
}

/** The short masked frames that a client sends here. */
function unframed(bytes: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = (bytes[at + 1] ?? 0) & 127;
    const mask = bytes.subarray(at + 2, at + 6);
    messages.push(Buffer.from(bytes.subarray(at + 6, at + 6 + length).map((byte, n) => byte ^ (mask[n % 4] ?? 0))));
    at += 6 + length;
  }
  return messages;
}
