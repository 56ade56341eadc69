import { describe, expect, it } from 'vitest';
import { exportKey, exportName, headExport } from './export-name.ts';

const key = exportKey('-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n');
const of = { volumeUid: 'u-1', replica: 'pvc-1-r-1', generation: 7 };

describe('the name of an export', () => {
  it('is the same for everyone who has the key', () => {
    const name = exportName(key, headExport(of));
    expect(name).toBe(
      exportName(exportKey('-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----'), headExport(of)),
    );
    expect(name).toMatch(/^u-1\.pvc-1-r-1\.7\.[0-9a-f]{32}$/);
  });

  it.each([
    { ...of, generation: 8 },
    { ...of, replica: 'pvc-1-r-2' },
    { ...of, volumeUid: 'u-2' },
  ])('changes with %j, including its token', (other) => {
    const [a, b] = [exportName(key, headExport(of)), exportName(key, headExport(other))];
    expect(a.split('.').at(-1)).not.toBe(b.split('.').at(-1));
  });

  it('has another token with another key', () => {
    expect(exportName(exportKey('x'), headExport(of))).not.toBe(exportName(key, headExport(of)));
  });
});
