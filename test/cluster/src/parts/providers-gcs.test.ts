import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { gcsStore } from '@lateen/object-store-gcs';
import type { GcpLocation } from '@lateen/storage-location';
import { describeObjectStore } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeGcs, startFakeGcs } from '../providers/fake-gcs.ts';
import { keepsToRates, rates } from '../providers/keeps-to-rates.ts';
import { filesBelow, providerRig, repositoryPassword } from '../providers/provider-rig.ts';

let gcs: FakeGcs;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-provider-gcs-'));
  gcs = await startFakeGcs();
}, 900_000);
afterAll(async () => {
  await gcs?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const location = (more: Partial<GcpLocation> = {}): GcpLocation => ({
  provider: 'gcp',
  name: 'default',
  bucket: 'backups',
  prefix: 'p',
  readOnly: false,
  credentials: gcs.serviceAccount,
  ...more,
});
const toEmulator = (config: GcpLocation) => {
  const { caPem, port } = gcs.emulator;
  return gcsStore({ ...config, caPem, endpoint: `https://127.0.0.1:${port}` }, { clock: systemClock });
};

/** Sends one request to the emulator as it would be sent to Google. */
function ask(method: string, path: string, body?: string): Promise<{ status: number; body: Uint8Array }> {
  const { caPem: ca, port } = gcs.emulator;
  const headers = { host: 'storage.googleapis.com', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request({ method, host: '127.0.0.1', port, path, ca, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end(body);
  });
}
const makeBucket = (name: string) => ask('POST', '/storage/v1/b?project=project', JSON.stringify({ name }));

describeObjectStore('Google Cloud Storage on fake-gcs-server', async () => {
  await makeBucket('suite');
  return {
    store: toEmulator(location({ bucket: 'suite' })),
    missing: toEmulator(location({ bucket: 'missing' })),
    fetchSigned: (url) => ask('GET', new URL(url).pathname + new URL(url).search),
    leftovers: async () => [],
    keepsUnfinished: false,
    severalPartsBytes: 1024 * 1024 + 5,
    close: async () => {},
  };
});

describe('a location on Google Cloud Storage', { timeout: 600_000 }, () => {
  const rigOf = (more: Partial<GcpLocation> = {}) =>
    providerRig({
      directory,
      location: location(more),
      openStore: (resolved) => toEmulator(resolved as GcpLocation),
      environment: gcs.emulator.environment,
    });

  it('holds a kopia repository; its key is in no argument, log or remaining file', async () => {
    await makeBucket('backups');
    const rig = await rigOf();
    expect(await rig.engines.kopia.initialise()).toBe('created');
    expect(await rig.engines.kopia.initialise()).toBe('opened');
    expect(await rig.roundTrip('kopia', 'of kopia')).toBe('of kopia');
    expect(gcs.tokens.length).toBeGreaterThan(0);
    const said = JSON.stringify([rig.seen.map(({ args, env, stdin }) => [args, env, String(stdin)]), rig.log]);
    expect(said).not.toContain(JSON.stringify(gcs.serviceAccount.privateKey).slice(1, -1));
    expect(JSON.stringify(rig.seen.map(({ args }) => args))).not.toContain(repositoryPassword);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('holds a restic repository', async () => {
    await makeBucket('backups');
    const rig = await rigOf();
    const identifier = 'gs:backups:/p/restic/shop';
    expect(await rig.engines.restic.initialise()).toEqual({ outcome: 'created', identifier });
    expect(await rig.roundTrip('restic', 'of restic')).toBe('of restic');
    expect(await rig.leftovers()).toEqual([]);
  });

  it('limits both engines to its rates', async () => {
    await makeBucket('backups');
    await keepsToRates(await rigOf(rates));
  });

  it('reports a missing bucket', async () => {
    const missing = await rigOf({ bucket: 'nowhere' });
    await expect(missing.engines.kopia.initialise()).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    expect(await filesBelow(join(directory, 'memory'))).toEqual([]);
  });
});
