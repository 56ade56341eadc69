import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { systemClock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { createAuthority, issue, type KeyPair } from './authority.ts';

const now = Date.parse('2026-03-01T00:00:00Z');
const dayMs = 86_400_000;

describe('certificates', () => {
  it('are valid from a day earlier until the requested end', async () => {
    const authority = await createAuthority('ca', now, { validDays: 10 });
    const leaf = await issue(authority, { subject: 'CN=leaf', dnsNames: ['a'], validDays: 3 }, now);
    const { validFrom, validTo, subjectAltName } = new X509Certificate(leaf.certificate);
    expect([Date.parse(validFrom), Date.parse(validTo), subjectAltName]).toEqual([
      now - dayMs,
      now + 3 * dayMs,
      'DNS:a',
    ]);
    expect(Date.parse(new X509Certificate(authority.certificate).validTo)).toBe(now + 10 * dayMs);
  });

  it('are accepted by both sides of a connection that trust their CA, and by no others', async () => {
    const today = systemClock.now();
    const [one, other] = await Promise.all([createAuthority('ca', today), createAuthority('ca', today)]);
    const leafOf = (authority: KeyPair) => issue(authority, { subject: 'CN=leaf', dnsNames: ['leaf'] }, today);
    const [old, fresh] = await Promise.all([leafOf(one), leafOf(other)]);
    const both = one.certificate + other.certificate;

    expect(await meet({ ...old, ca: one.certificate }, { ...old, ca: one.certificate })).toBe('met');
    expect(await meet({ ...old, ca: one.certificate }, { ...fresh, ca: both })).not.toBe('met');
    expect(await meet({ ...old, ca: both }, { ...fresh, ca: both })).toBe('met');
    expect(await meet({ ...fresh, ca: both }, { ...old, ca: one.certificate })).not.toBe('met');
  });
});

interface Side extends KeyPair {
  readonly ca: string;
}

/** `met`, or why a server and a client reject each other's certificate. */
async function meet(server: Side, client: Side): Promise<string> {
  const optionsOf = ({ certificate, key, ca }: Side) => ({ cert: certificate, key, ca });
  const listener = createServer({ ...optionsOf(server), requestCert: true, rejectUnauthorized: true }, (socket) => {
    socket.end('met');
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  try {
    const socket: TLSSocket = connect({ ...optionsOf(client), host: '127.0.0.1', port, servername: 'leaf' });
    let heard = '';
    for await (const chunk of socket) heard += chunk;
    return heard;
  } catch (error) {
    return String(error);
  } finally {
    listener.close();
  }
}
