import { systemRandom } from '@lateen/kernel';
import type { KnownSecret } from '@lateen/testing';

/** Letters that chance does not make, and in each half characters that every encoding writes in its own way. */
export function freshSecret(name: string): KnownSecret {
  return { name, value: `${systemRandom.suffix(16)}"\\<&é%+/' ${systemRandom.suffix(16)}` };
}
