import { s3Store } from '@lateen/object-store-s3';
import type { StoreLocation } from '@lateen/storage-location';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerRig } from '../providers/provider-rig.ts';
import { type KeyedLocation, type S3Server, startS3Server } from '../repository/s3-server.ts';

/** The rates of engines in locations of other providers are tested in providers-*.test.ts. */
let server: S3Server;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
}, 900_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

const rates = { uploadBytesPerSecond: 40 * 2 ** 20, downloadBytesPerSecond: 20_000_000 };

const rigOf = (more: Partial<KeyedLocation>) =>
  providerRig({
    directory: server.directory,
    location: server.location(more),
    openStore: (location: StoreLocation) => s3Store(location as KeyedLocation),
  });

describe('a location on S3 with rates', { timeout: 600_000 }, () => {
  it('limits kopia to them, including the creation of the repository', async () => {
    const rig = await rigOf({ prefix: 'limited', ...rates });
    expect(await rig.engines.kopia.initialise()).toBe('created');
    expect(await rig.engines.kopia.limits()).toMatchObject({
      maxUploadSpeedBytesPerSecond: rates.uploadBytesPerSecond,
      maxDownloadSpeedBytesPerSecond: rates.downloadBytesPerSecond,
    });
    expect(await rig.roundTrip('kopia', 'slowly')).toBe('slowly');
    expect(await rig.leftovers()).toEqual([]);
  });

  it('limits the next session of kopia to changed rates, or to none', async () => {
    await (await rigOf({ prefix: 'changed', ...rates })).engines.kopia.initialise();
    const next = await rigOf({ prefix: 'changed', uploadBytesPerSecond: 1_000_000 });
    const limits = await next.engines.kopia.limits();
    expect(limits.maxUploadSpeedBytesPerSecond).toBe(1_000_000);
    expect(limits.maxDownloadSpeedBytesPerSecond ?? 0).toBe(0);
    const none = await (await rigOf({ prefix: 'changed' })).engines.kopia.limits();
    expect(none.maxUploadSpeedBytesPerSecond ?? 0).toBe(0);
  });

  it('limits every command of restic to them', async () => {
    const rig = await rigOf({ prefix: 'limited', ...rates });
    expect((await rig.engines.restic.initialise()).outcome).toBe('created');
    expect(await rig.roundTrip('restic', 'slowly too')).toBe('slowly too');
    expect(rig.seen.length).toBeGreaterThan(2);
    for (const { args } of rig.seen)
      expect(args).toEqual(expect.arrayContaining(['--limit-upload=40960', '--limit-download=19531']));
    expect(await rig.leftovers()).toEqual([]);
  });
});
