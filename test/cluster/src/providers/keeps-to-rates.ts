import { expect } from 'vitest';
import type { providerRig } from './provider-rig.ts';

/** Rates of a slow location; high enough that the test does not have to wait. */
export const rates = { uploadBytesPerSecond: 2 ** 26, downloadBytesPerSecond: 2 ** 25 };

/** Both engines get the {@link rates} of a rig's location, and data can be restored with them. */
export async function keepsToRates(rig: Awaited<ReturnType<typeof providerRig>>): Promise<void> {
  await rig.engines.kopia.initialise();
  expect(await rig.engines.kopia.limits()).toMatchObject({
    maxUploadSpeedBytesPerSecond: rates.uploadBytesPerSecond,
    maxDownloadSpeedBytesPerSecond: rates.downloadBytesPerSecond,
  });
  expect(await rig.roundTrip('kopia', 'slowly')).toBe('slowly');
  await rig.engines.restic.initialise();
  expect(await rig.roundTrip('restic', 'slowly too')).toBe('slowly too');
  expect(rig.seen.at(-1)?.args).toEqual(expect.arrayContaining(['--limit-upload=65536', '--limit-download=32768']));
}
