import { rootCertificates } from 'node:tls';
import type { ObjectStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation, aSecret, fakeCluster, testCertificates } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readLocationCa, trustedAuthorities } from './authorities.ts';

const { ca, otherCa } = testCertificates();
const signal = AbortSignal.any([]);

describe('trustedAuthorities', () => {
  it('adds the given CAs to the trusted ones', () => {
    const all = trustedAuthorities([`about this file\n${ca}${otherCa}`, ca]) ?? [];
    expect(all).toEqual(expect.arrayContaining([ca.trim(), otherCa.trim()]));
    expect(all.length).toBeGreaterThanOrEqual(rootCertificates.length);
    expect(all.filter((pem) => pem === ca.trim())).toHaveLength(1);
  });
});

describe('the CA of a location', () => {
  const read = (objectStorage: Partial<ObjectStorageLocation>) => {
    const location = aBackupStorageLocation({ spec: { objectStorage: { bucket: 'b', ...objectStorage } } });
    const secret = aSecret({ name: 'ca', namespace: 'velero', values: { pem: ca } });
    const kube = fakeCluster({ objects: [location, secret] });
    return readLocationCa(kube, { namespace: 'velero', location: 'default' }, signal);
  };

  it('is read from its spec or from a Secret, or is absent', async () => {
    expect(await read({ caCert: Buffer.from(ca).toString('base64') })).toBe(ca);
    expect(await read({ caCertRef: { name: 'ca', key: 'pem' } })).toBe(ca);
    expect(await read({})).toBeUndefined();
  });

  it('is reported with a next step when it cannot be read', async () => {
    for (const caCertRef of [
      { name: 'gone', key: 'pem' },
      { name: 'ca', key: 'gone' },
    ])
      await expect(read({ caCertRef })).rejects.toMatchObject({ code: 'LOCATION_CA_UNREADABLE', nextStep: /--cacert/ });
    await expect(read({ caCert: 'AAAA' })).rejects.toThrow(
      'CA certificate of BackupStorageLocation velero/default cannot be used: it holds no PEM certificate',
    );
  });
});
