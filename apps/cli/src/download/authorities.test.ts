import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { ObjectStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation, aSecret, fakeCluster, testCertificates } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readCaFile, readLocationCa, trustedAuthorities } from './authorities.ts';

const { ca, otherCa } = testCertificates();
const signal = AbortSignal.any([]);

describe('trustedAuthorities', () => {
  it('adds what is given to what is trusted anyway', () => {
    const all = trustedAuthorities([`about this file\n${ca}${otherCa}`, ca]) ?? [];
    expect(all).toEqual(expect.arrayContaining([ca.trim(), otherCa.trim()]));
    expect(all.length).toBeGreaterThanOrEqual(rootCertificates.length);
    expect(all.filter((pem) => pem === ca.trim())).toHaveLength(1);
  });
});

describe('--cacert', () => {
  it.each<[string, string | undefined, RegExp]>([
    ['is not there', undefined, /^--cacert ".*\/ca\.pem" cannot be read/],
    ['holds a key', '-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n', /holds no PEM certificate/],
    ['is damaged', '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n', /certificate that cannot be read/],
    ['is something huge', 'x'.repeat(5_000_000), /is larger than 4194304 bytes/],
  ])('is refused when the file %s', async (_, content, message) => {
    const directory = await mkdtemp(join(tmpdir(), 'lateen-ca-'));
    try {
      const path = join(directory, 'ca.pem');
      if (content !== undefined) await writeFile(path, content);
      await expect(readCaFile(path, signal)).rejects.toMatchObject({
        code: 'BAD_FLAG',
        message: expect.stringMatching(message),
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('the authority of a location', () => {
  const read = (objectStorage: Partial<ObjectStorageLocation>) => {
    const location = aBackupStorageLocation({ spec: { objectStorage: { bucket: 'b', ...objectStorage } } });
    const secret = aSecret({ name: 'ca', namespace: 'velero', values: { pem: ca } });
    const kube = fakeCluster({ objects: [location, secret] });
    return readLocationCa(kube, { namespace: 'velero', location: 'default' }, signal);
  };

  it('is in its spec or in a Secret, or not there', async () => {
    expect(await read({ caCert: Buffer.from(ca).toString('base64') })).toBe(ca);
    expect(await read({ caCertRef: { name: 'ca', key: 'pem' } })).toBe(ca);
    expect(await read({})).toBeUndefined();
  });

  it('that cannot be had is told with a way out', async () => {
    for (const caCertRef of [
      { name: 'gone', key: 'pem' },
      { name: 'ca', key: 'gone' },
    ])
      await expect(read({ caCertRef })).rejects.toMatchObject({ code: 'LOCATION_CA_UNREADABLE', nextStep: /--cacert/ });
    await expect(read({ caCert: 'AAAA' })).rejects.toThrow(
      'CA certificate of BackupStorageLocation velero/default holds',
    );
  });
});
