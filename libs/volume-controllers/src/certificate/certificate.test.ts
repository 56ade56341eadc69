import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { type Secret, secretType } from '@lateen/api-types';
import { aNamespace, FakeClock, FakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { certificateFilesIn, writeCertificateFiles } from './certificate-files.ts';
import { certificatesIn, tlsTextsOf, validityOf, volumeManagerTls } from './certificate-secret.ts';
import { certificateLimits } from './decide-certificate.ts';
import { ensureCertificate, keepCertificate } from './keep-certificate.ts';

const namespace = 'longhorn-system';
const key = { namespace, name: volumeManagerTls.secret };
const dayMs = 86_400_000;
const signal = new AbortController().signal;

let clock: FakeClock;
let cluster: FakeCluster;
let log: ReturnType<typeof recordingLog>;
const ports = () => ({ kube: cluster, namespace, clock, random: seededRandom(), log });
const stored = (): Secret => cluster.find(secretType, key) ?? expect.fail('there is no Secret');
const texts = () => tlsTextsOf(stored());

beforeEach(() => {
  clock = new FakeClock('2030-01-01T00:00:00Z');
  cluster = new FakeCluster({ clock, objects: [aNamespace({ metadata: { name: namespace } })] });
  log = recordingLog();
});

/** Advances time until the work is done: the platform creates keys in real time, which no fake clock controls. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await setImmediate();
    await clock.advance(200);
  }
  return await done;
}

describe('the certificate of the volume manager', () => {
  it('is created once, however many managers start', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => ensureCertificate(ports(), signal)));
    expect(new Set(all.map((secret) => tlsTextsOf(secret).certificate)).size).toBe(1);
    expect(stored()).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { labels: { 'longhorn.io/managed-by': 'longhorn-manager' } },
    });
    const { authorities: ca, certificate: cert, key: of } = texts();
    expect(() => createSecureContext({ ca, cert, key: of })).not.toThrow();
    expect(validityOf(cert)).toEqual({ fromMs: clock.now() - dayMs, toMs: clock.now() + 365 * dayMs });
  });

  it('is left alone while it is valid for long enough', async () => {
    const { metadata } = await ensureCertificate(ports(), signal);
    await clock.advance(300 * dayMs);
    await ensureCertificate(ports(), signal);
    expect(stored().metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it('is renewed in two steps: the next CA is trusted for a day before its certificate is used', async () => {
    await ensureCertificate(ports(), signal);
    const first = texts();
    await clock.advance(306 * dayMs);
    await ensureCertificate(ports(), signal);
    const announced = texts();
    expect([announced.certificate, announced.key]).toEqual([first.certificate, first.key]);
    expect(certificatesIn(announced.authorities)).toHaveLength(2);
    await clock.advance(certificateLimits.announcedMs - 60_000);
    await ensureCertificate(ports(), signal);
    expect(texts().certificate).toBe(first.certificate);
    await clock.advance(60_000);
    await ensureCertificate(ports(), signal);
    expect(texts()).toEqual({
      authorities: announced.authorities,
      certificate: announced.nextCertificate,
      key: announced.nextKey,
      nextCertificate: '',
      nextKey: '',
      exports: first.key,
    });
  });

  it('keeps the key of the export names through each renewal and when it is created again', async () => {
    await ensureCertificate(ports(), signal);
    const { key: first } = texts();
    expect(texts().exports).toBe(first);
    for (const days of [306, 1, 306, 1, 400]) {
      await clock.advance(days * dayMs);
      await ensureCertificate(ports(), signal);
    }
    expect(texts().key).not.toBe(first);
    expect(texts().exports).toBe(first);
  });

  it('keeps that key in a Secret of an earlier release, from a day before its certificate is replaced', async () => {
    await ensureCertificate(ports(), signal);
    cluster.change(secretType, key, (secret) => {
      const { 'lateen-exports.key': _, ...data } = secret.data ?? {};
      secret.data = data;
    });
    const { key: first } = texts();
    expect(texts().exports).toBe('');
    await clock.advance(306 * dayMs);
    await ensureCertificate(ports(), signal);
    expect([texts().key, texts().exports]).toEqual([first, first]);
  });

  it('removes expired CAs, checked over years', async () => {
    let most = 0;
    for (let day = 0; day < 1200; day++) {
      await ensureCertificate(ports(), signal);
      await clock.advance(dayMs);
      const { certificate, authorities } = texts();
      most = Math.max(most, certificatesIn(authorities).length);
      expect(validityOf(certificate)?.toMs).toBeGreaterThan(clock.now() + 50 * dayMs);
    }
    expect(most).toBe(2);
  });

  it('is checked about every hour until the signal aborts', async () => {
    const end = new AbortController();
    await ensureCertificate(ports(), signal);
    const running = keepCertificate(ports(), end.signal);
    await clock.advance(10 * 3_600_000);
    const looks = cluster.calls.filter(({ verb }) => verb === 'get').length;
    expect(looks).toBeGreaterThanOrEqual(8);
    expect(looks).toBeLessThanOrEqual(15);
    end.abort();
    await running;
  });

  it('is created again when it has expired or cannot be read', async () => {
    await ensureCertificate(ports(), signal);
    await clock.advance(400 * dayMs);
    await ensureCertificate(ports(), signal);
    expect(validityOf(texts().certificate)?.toMs).toBe(clock.now() + 365 * dayMs);
    cluster.change(secretType, key, (secret) => {
      secret.data = { ...secret.data, 'tls.crt': Buffer.from('no certificate').toString('base64') };
    });
    await ensureCertificate(ports(), signal);
    expect(validityOf(texts().certificate)?.toMs).toBe(clock.now() + 365 * dayMs);
  });

  it('that a user provides is used, never written, and reported when it expires', async () => {
    await ensureCertificate(ports(), signal);
    cluster.change(secretType, key, (secret) => {
      secret.metadata.labels = {};
    });
    const { resourceVersion } = stored().metadata;
    await clock.advance(364 * dayMs);
    await ensureCertificate(ports(), signal);
    expect(stored().metadata.resourceVersion).toBe(resourceVersion);
    expect(log.lines.map(({ fields }) => fields.problem).filter(Boolean)).toEqual(['its certificate expires in 24h']);
  });

  it('is retried while the API server is unavailable, and after another manager has written first', async () => {
    cluster.failTimes(3, 'get', secretType, 'KUBE_UNAVAILABLE');
    await passing(ensureCertificate(ports(), signal));
    await clock.advance(310 * dayMs);
    cluster.failOnce('update', secretType, 'KUBE_CONFLICT');
    expect(certificatesIn(tlsTextsOf(await ensureCertificate(ports(), signal)).authorities)).toHaveLength(2);
  });

  it('appears in no log line, even when a write fails', async () => {
    cluster.failOnce('create', secretType, 'KUBE_SERVER_ERROR');
    await passing(ensureCertificate(ports(), signal));
    await clock.advance(310 * dayMs);
    await ensureCertificate(ports(), signal);
    const said = log.lines.map((line) => `${JSON.stringify(line)} ${String(line.fields.err)}`).join('\n');
    expect(log.lines.length).toBeGreaterThanOrEqual(3);
    for (const text of Object.values(texts())) {
      const body = text.split('\n').find((line) => line.length === 64) ?? expect.fail('no line of the text');
      expect(said).not.toContain(body);
      expect(said).not.toContain(Buffer.from(text).toString('base64').slice(40, 80));
    }
  });

  it('is written to files that only the owner can read, each replaced atomically', async () => {
    const directory = join(await mkdtemp(join(tmpdir(), 'lateen-tls-')), 'tls');
    for (let year = 0; year < 2; year++) {
      const secret = await ensureCertificate(ports(), signal);
      const files = await writeCertificateFiles(directory, secret, { random: seededRandom(), signal });
      expect(files).toEqual(certificateFilesIn(directory));
      expect(await readFile(files.cert, 'utf8')).toBe(texts().certificate);
      expect((await stat(files.key)).mode & 0o777).toBe(0o600);
      await clock.advance(400 * dayMs);
    }
    expect((await readdir(directory)).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  });
});
