import { parseQuantity, wholeUnits } from '@lateen/kube';
import { refused } from '../errors/error-body.ts';

/** Sizes of volumes are multiples of it. */
const sizeUnitBytes = 2n * 1024n * 1024n;

/** Bytes of a size as Kubernetes writes it. @throws REST_REFUSED */
export function bytesOf(text: string): bigint {
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? undefined : wholeUnits(quantity);
  if (bytes === undefined || bytes < 0n) throw refused(`error parsing size ${JSON.stringify(text)}`);
  return bytes;
}

/** The size of a volume for a requested number of bytes: at least that, and at least one unit. */
export function volumeBytes(asked: bigint): bigint {
  const units = (asked + sizeUnitBytes - 1n) / sizeUnitBytes;
  return (units > 0n ? units : 1n) * sizeUnitBytes;
}
