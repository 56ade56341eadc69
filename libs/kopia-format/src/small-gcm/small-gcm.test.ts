import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smallGcm } from './small-gcm.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const seal = (key: Uint8Array, nonce: Uint8Array, additional: Uint8Array, plain: Uint8Array) => {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(additional);
  return new Uint8Array(Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
};
const anySealed = fc
  .tuple(bytes(32), bytes(12), fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 700 }))
  .map(([key, nonce, additional, plain]) => ({ key, additional, plain, packed: seal(key, nonce, additional, plain) }));

describe('AES-256-GCM of small contents', () => {
  const open = smallGcm();
  it('decrypts what node:crypto has encrypted, with any key and any length', () => {
    fc.assert(
      fc.property(anySealed, ({ key, additional, plain, packed }) => {
        expect(open(key, packed, additional)).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });

  it('decrypts nothing with a changed bit or a missing end', () => {
    fc.assert(
      fc.property(anySealed, fc.nat(), fc.nat(), ({ key, additional, packed }, bit, length) => {
        const changed = packed.slice();
        const at = bit % (8 * packed.length);
        changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
        expect(open(key, changed, additional)).toBeUndefined();
        expect(open(key, packed.subarray(0, length % packed.length), additional)).toBeUndefined();
        expect(open(key, packed, new Uint8Array([...additional, 0]))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
