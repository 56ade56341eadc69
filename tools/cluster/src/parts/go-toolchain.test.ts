import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { goDirective, isOlder } from './go-toolchain.ts';
import { parts } from './part-table.ts';
import { partsDir } from './parts-dir.ts';

it.each([
  { installed: 'go1.24.0', needed: '1.24.0', older: false },
  { installed: 'go1.26.8', needed: '1.24.0', older: false },
  { installed: 'go1.23.12', needed: '1.24.0', older: true },
  { installed: 'go1.9', needed: '1.24.0', older: true },
  { installed: 'go1.25', needed: '1.25.1', older: true },
  { installed: 'go1.25.1-custom', needed: '1.25.0', older: false },
  { installed: 'devel go1.27-abcdef', needed: '1.25.0', older: false },
])('$installed is older than $needed: $older', ({ installed, needed, older }) => {
  expect(isOlder(installed, needed)).toBe(older);
});

it('reads the go directive of a go.mod, and treats a missing one as the oldest', () => {
  expect(goDirective('module x\n\ngo 1.25.3\n\nrequire a v1.0.0\n')).toBe('1.25.3');
  expect(goDirective('module x\n')).toBe('1.0');
});

it.each([
  { file: 'README.md', names: /Go (\d+\.\d+) or later/ },
  { file: 'CONTRIBUTING.md', names: /Go (\d+\.\d+) or later/ },
  { file: '.devcontainer/Dockerfile', names: /golang:(\d+\.\d+)-/ },
  { file: '.github/workflows/ci.yml', names: /go-version: '(\d+\.\d+)'/ },
])('$file names a Go that can build every part', async ({ file, names }) => {
  const text = await readFile(join(import.meta.dirname, '../../../..', file), 'utf8');
  const [, named = '0'] = names.exec(text) ?? [];
  for (const { module } of parts) {
    const needed = goDirective(await readFile(join(partsDir, module, 'go.mod'), 'utf8'));
    expect(isOlder(`go${named}.99`, needed), `${module} needs ${needed}`).toBe(false);
  }
});
