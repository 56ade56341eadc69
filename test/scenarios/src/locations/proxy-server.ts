import { request as ask, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { MadeCertificate } from './bad-server-certificates.ts';

export interface ProxyServer {
  port: number;
  /** Requests as `CONNECT s3.test:443` or `GET http://s3.test/bucket`, with the credentials that were sent, if any. */
  asked: string[];
}

export interface ProxyWishes {
  /** The real port of a host, on loopback. */
  portOf(host: string): number;
  /** The status that it answers instead of forwarding. */
  refuses?: number;
  /** The `user:password` that it requires. */
  wants?: string;
  /** The proxy itself speaks TLS. */
  tls?: MadeCertificate;
}

/** A forward proxy (RFC 9110, section 9.3.6; RFC 9112, section 3.2.2); runs until the test ends. */
export async function proxyServer({ portOf, refuses, wants, tls }: ProxyWishes): Promise<ProxyServer> {
  const proxy: ProxyServer = { port: 0, asked: [] };
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    // Clients may disconnect at any time.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  /** The status of a rejection. */
  const judge = (line: string, credentials: string | undefined): number | undefined => {
    const pair = Buffer.from((credentials ?? '').replace(/^Basic /, ''), 'base64').toString();
    proxy.asked.push(credentials === undefined ? line : `${line} as ${pair}`);
    return refuses ?? (wants === undefined || wants === pair ? undefined : 407);
  };
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('connection', keep);
  server.on('connect', (incoming, socket: Socket, early: Buffer) => {
    const { url: target = '', headers } = incoming;
    socket.on('error', () => {});
    const status = judge(`CONNECT ${target}`, headers['proxy-authorization']);
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const beyond = connect(portOf(target.split(':')[0] ?? ''), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      beyond.write(early);
      beyond.pipe(socket).pipe(beyond);
    });
    keep(beyond);
  });
  server.on('request', (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const { 'proxy-authorization': credentials, ...others } = headers;
    const status = judge(`${method} ${url}`, credentials);
    if (status !== undefined) {
      response.writeHead(status).end();
      return;
    }
    const { hostname, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const beyond = ask({ host: '127.0.0.1', port: portOf(hostname), method, path, headers: others, agent: false });
    beyond.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    beyond.on('error', () => response.destroy());
    incoming.pipe(beyond);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return proxy;
}
