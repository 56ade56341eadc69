import { annotations } from '@lateen/api-types';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import { locationInvalid } from './check/location-invalid.ts';

/**
 * Bytes per second. restic counts in KiB; less is a slip as in `10m`, which is a hundredth of a byte. More than the
 * largest is no limit of any network.
 */
export const transferRateLimits = { bytesMin: 1_024, bytesMax: 2 ** 50 } as const;

/** The valid form, for the error about an invalid rate. */
export const transferRateForm = 'Write bytes per second as a quantity, such as 10Mi or 5000000';

export type ReadTransferRate = { bytesPerSecond: number } | { wrong: string };

/** Reads bytes per second from a Kubernetes quantity; `wrong` says what it is instead, to follow its text. */
export function readTransferRate(text: string): ReadTransferRate {
  const quantity = parseQuantity(text);
  if (quantity === undefined) return { wrong: 'is not a quantity' };
  if (quantity.mantissa <= 0n) return { wrong: 'is not above 0' };
  const bytes = wholeUnits(quantity);
  if (bytes < transferRateLimits.bytesMin) return { wrong: 'is less than 1Ki' };
  return bytes > transferRateLimits.bytesMax ? { wrong: 'is more than 1Pi' } : { bytesPerSecond: Number(bytes) };
}

/** The rates of a location, of which each may be missing: then there is no limit. */
export interface LocationRates {
  uploadBytesPerSecond?: number;
  downloadBytesPerSecond?: number;
}

/** The rates that a BackupStorageLocation's annotations give (docs/adr/0013). @throws LOCATION_INVALID */
export function annotatedRates(given: Readonly<Record<string, string>> | undefined): LocationRates {
  const rates: LocationRates = {};
  for (const name of ['uploadBytesPerSecond', 'downloadBytesPerSecond'] as const) {
    const text = given?.[annotations[name]];
    if (text === undefined) continue;
    const read = readTransferRate(text);
    if ('wrong' in read) {
      throw locationInvalid(
        `annotation ${annotations[name]} ${shown(text)} ${read.wrong}`,
        `${transferRateForm}, or remove the annotation.`,
      );
    }
    rates[name] = read.bytesPerSecond;
  }
  return rates;
}

/** Of its rate kopia keeps what it may use in a minute, and takes this much of it for each file, until it knows how long that is. */
const kopiaTakes = { bytesPerRead: 20_000_000, savedSeconds: 60 } as const;

/**
 * For how many seconds kopia pauses before each file that it reads from a location of this rate, however small the file;
 * 0 from 326Ki on and without a limit. Seen with kopia 0.22: a backup of two volumes of 1 MB, made for the second time, had not ended after ten minutes on 48Ki.
 */
export function kopiaPauseSeconds({ downloadBytesPerSecond: rate }: LocationRates): number {
  if (rate === undefined) return 0;
  return Math.max(0, Math.round(kopiaTakes.bytesPerRead / rate - kopiaTakes.savedSeconds));
}

/** An annotation may be as long as an object. */
const shown = (text: string): string => JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`);
