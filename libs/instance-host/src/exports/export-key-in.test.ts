import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportKeyIn } from './export-key-in.ts';
import { exportKey } from './export-name.ts';

describe('the key for export names', () => {
  it('stays when the certificate is renewed, and comes from the certificate when no other key is stored', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lateen-tls-'));
    try {
      await writeFile(join(directory, 'tls.key'), 'first');
      expect(await exportKeyIn(directory)).toEqual(exportKey('first'));
      await writeFile(join(directory, 'lateen-exports.key'), 'first');
      await writeFile(join(directory, 'tls.key'), 'second');
      expect(await exportKeyIn(directory)).toEqual(exportKey('first'));
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
