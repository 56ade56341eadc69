import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCertificateStore } from './certificate-store.ts';
import { kubeconfig } from './kubeconfig.ts';

const nowMs = Date.parse('2030-01-01T00:00:00Z');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lateen-pki-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request = { subject: 'CN=system:node:node-1,O=system:nodes', dnsNames: ['node-1'], ipAddresses: ['10.210.0.11'] };

it('issues certificates signed by its authority, for the requested names and addresses', async () => {
  const store = await openCertificateStore(folder, 'lateen-test', nowMs);
  const leaf = new X509Certificate((await store.certificate('node', request)).certificate);
  expect(leaf.verify(new X509Certificate(store.authority.certificate).publicKey)).toBe(true);
  expect(leaf.subject.split('\n').sort()).toEqual(['CN=system:node:node-1', 'O=system:nodes']);
  expect(leaf.checkIP('10.210.0.11')).toBe('10.210.0.11');
  expect(leaf.checkHost('node-1')).toBe('node-1');
  expect(leaf.checkIP('10.210.0.12')).toBeUndefined();
  expect(Date.parse(leaf.validFrom)).toBeLessThan(nowMs);
  expect(leaf.ca).toBe(false);
});

it('keeps existing certificates, and issues new ones when another address is requested', async () => {
  const first = await openCertificateStore(folder, 'lateen-test', nowMs);
  const made = await first.certificate('node', request);
  const again = await openCertificateStore(folder, 'lateen-test', nowMs + 1_000);
  expect(again.authority).toEqual(first.authority);
  expect(await again.certificate('node', request)).toEqual(made);
  expect(await again.certificate('node', { ...request, ipAddresses: ['10.210.0.12'] })).not.toEqual(made);
});

it('writes every key so that only its owner can read it', async () => {
  const store = await openCertificateStore(folder, 'lateen-test', nowMs);
  await store.certificate('node', request);
  const keys = (await readdir(folder)).filter((name) => name.endsWith('.key'));
  expect(keys.sort()).toEqual(['ca.key', 'node.key', 'service-account.key']);
  for (const key of keys) expect((await stat(join(folder, key))).mode & 0o777).toBe(0o600);
});

it('writes a kubeconfig with everything inside it', () => {
  const client = { certificate: 'CERT', key: 'KEY' };
  const text = kubeconfig({ name: 'x', server: 'https://198.18.0.2:6443', authority: 'CA', client });
  const base64 = (plain: string) => Buffer.from(plain).toString('base64');
  expect(load(text)).toMatchObject({
    clusters: [
      { name: 'x', cluster: { server: 'https://198.18.0.2:6443', 'certificate-authority-data': base64('CA') } },
    ],
    users: [{ name: 'x', user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    'current-context': 'x',
  });
});
