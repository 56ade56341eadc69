import { systemRandom } from '@lateen/kernel';
import type { KnownSecret } from '@lateen/testing';

/** Two halves of random letters, and between them characters that every encoding changes. */
export function freshSecret(name: string): KnownSecret {
  return { name, value: `${systemRandom.suffix(16)}"\\<&é%+/' ${systemRandom.suffix(16)}` };
}
