import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:tls';
import { systemClock } from '@lateen/kernel';
import { expect, it } from 'vitest';
import { makeServerCertificate, memoryFile } from './server-certificate.ts';

it.each(['2030-01-02T03:04:05Z', '2049-12-20T00:00:00Z', '2070-06-01T12:00:00Z'])(
  'a certificate created at %s is valid from the day before, for loopback',
  (time) => {
    const { certificate } = makeServerCertificate(Date.parse(time));
    const read = new X509Certificate(certificate);
    expect(Date.parse(read.validFrom)).toBe(Date.parse(time) - 24 * 60 * 60_000);
    expect(Date.parse(read.validTo)).toBe(Date.parse(time) + 30 * 24 * 60 * 60_000);
    expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(read.verify(read.publicKey)).toBe(true);
  },
);

it('each of many can be parsed, although their signatures have several lengths', () => {
  const made = Array.from({ length: 100 }, () => makeServerCertificate(0).certificate);
  expect(new Set(made.map((certificate) => new X509Certificate(certificate).raw.length)).size).toBeGreaterThan(1);
});

it('two certificates share neither key nor serial number', () => {
  const [one, other] = [makeServerCertificate(0), makeServerCertificate(0)].map((made) => ({
    key: made.key,
    number: new X509Certificate(made.certificate).serialNumber,
  }));
  expect(one?.key).not.toBe(other?.key);
  expect(one?.number).not.toBe(other?.number);
});

it('a client that trusts it alone connects to a server with it', async () => {
  const { certificate, key } = makeServerCertificate(systemClock.now());
  const server = createServer({ cert: certificate, key }, (socket) => void socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const socket = connect({ host: '127.0.0.1', port, ca: certificate });
  const text = (await socket.toArray()).join('');
  server.close();
  expect([text, socket.authorized]).toEqual(['hello', true]);
});

it('a file in memory has no name and is read through its descriptor', async () => {
  await using file = await memoryFile('secret');
  expect(await readFile(`/proc/self/fd/${file.fd}`, 'utf8')).toBe('secret');
});
